/** `model:` -> conversations and asides, every default filled in. */
import type { Path } from '../../document/position.ts';
import type {
  Added,
  Aside,
  Conversation,
  Fault,
  Hold,
  ModelScript,
  Reply,
  ScriptedCall,
  Sight,
} from '../scenario.ts';
import { CONVERSATION_NAME } from '../schema/parts.ts';
import type { RawReply } from '../schema/reply.ts';
import type { RawScenario } from '../schema/scenario.ts';
import type { Reading } from './reading.ts';

type RawModel = NonNullable<RawScenario['model']>;
type RawScript = RawModel[string];

/** `main` is there even where nothing is asked of it. */
export function readModel(raw: RawModel | undefined, reading: Reading): ModelScript {
  const { main, asides, ...others } = raw ?? {};
  const mainReplies = main === undefined ? [] : 'replies' in main ? main.replies : main;
  const mainPath: Path =
    main !== undefined && 'replies' in main ? ['model', 'main', 'replies'] : ['model', 'main'];
  const conversations: Conversation[] = [
    {
      name: 'main',
      opens: null,
      replies: readReplies(mainReplies, { key: 'main', path: mainPath }, reading),
    },
  ];
  for (const [name, script] of Object.entries(others)) {
    const conversation = readChild(name, script as RawScript, reading);
    if (conversation !== null) conversations.push(conversation);
  }
  const read = Object.entries(asides ?? {}).map(([name, { when, replies }]): Aside => {
    if (Object.keys(when).length === 0) {
      reading.note(
        ['model', 'asides', name, 'when'],
        '`when` is empty, so this aside would take every request; say what it is known by',
      );
    }
    return {
      name,
      when: {
        system: when.system ?? null,
        user: when.user ?? null,
        model: when.model ?? null,
        tools: when.tools ?? null,
        stream: when.stream ?? null,
      },
      replies: readReplies(
        replies,
        { key: `aside.${name}`, path: ['model', 'asides', name, 'replies'] },
        reading,
      ),
    };
  });
  return { conversations, asides: read };
}

function readChild(name: string, script: RawScript, reading: Reading): Conversation | null {
  const path: Path = ['model', name];
  if (!CONVERSATION_NAME.test(name)) {
    reading.note(
      path,
      `"${name}" cannot be the name of a conversation: small letters, digits and hyphens, a letter first`,
    );
    return null;
  }
  const raw: { readonly opens?: string | undefined; readonly replies: readonly RawReply[] } = Array.isArray(
    script,
  )
    ? { replies: script as RawReply[] }
    : (script as { opens?: string; replies: RawReply[] });
  if (raw.opens === undefined) {
    reading.note(
      path,
      `the conversation "${name}" needs "opens": a text in its user messages by which it is recognised; only "main" has none`,
    );
  }
  const replyPath: Path = Array.isArray(script) ? path : [...path, 'replies'];
  return {
    name,
    opens: raw.opens ?? '',
    replies: readReplies(raw.replies, { key: name, path: replyPath }, reading),
  };
}

interface Place {
  readonly key: string;
  readonly path: Path;
}

function readReplies(raw: readonly RawReply[], { key, path }: Place, reading: Reading): Reply[] {
  return raw.map((reply, index) =>
    readReply(reply, { key: `${key}.${String(index + 1)}`, path: [...path, index] }, reading),
  );
}

function readReply(raw: RawReply, place: Place, reading: Reading): Reply {
  const { key, path } = place;
  const tools = (raw.tools ?? []).map((call): ScriptedCall => ({
    name: call.name,
    arguments: call.arguments ?? {},
    id: call.id ?? null,
  }));
  const empty = textOf(raw) === '' && (raw.reasoning ?? '') === '' && tools.length === 0;
  if (empty && raw.text === undefined && raw.fail === undefined) {
    reading.note(
      path,
      'this reply says nothing; give it text, tools or fail (an empty answer is written text: "")',
    );
  }
  return {
    key,
    position: reading.at(path),
    text: textOf(raw),
    reasoning: raw.reasoning ?? null,
    tools,
    finish: raw.finish ?? (tools.length > 0 ? 'tool_calls' : 'stop'),
    usage: raw.usage === undefined ? null : { ...raw.usage, cached: raw.usage.cached ?? null },
    pieces: raw.pieces ?? null,
    hold: readHold(raw.hold, { key, path: [...path, 'hold'] }, reading),
    ends: raw.ends ?? null,
    fail: readFault(raw.fail, { empty, path: [...path, 'fail'] }, reading),
    bytes: {
      crlf: raw.bytes?.crlf ?? false,
      merge: raw.bytes?.merge ?? false,
      keepAlive: raw.bytes?.keepAlive ?? false,
    },
    sees: (raw.sees ?? []).map(readSight),
    lacks: (raw.lacks ?? []).map(readSight),
    adds: raw.adds === undefined ? null : raw.adds.map(readAdded),
    offers: raw.offers ?? [],
    withholds: raw.withholds ?? [],
  };
}

/** Pieces alone say the text, too. */
function textOf({ text, pieces }: RawReply): string {
  return text ?? (Array.isArray(pieces) ? pieces.join('') : '');
}

function readHold(raw: RawReply['hold'], { path }: Place, reading: Reading): Hold | null {
  if (raw === undefined) return null;
  if (typeof raw === 'string') return { name: raw, after: null, before: null };
  if (raw.after !== undefined && raw.before !== undefined) {
    reading.note(path, 'a hold stops either after a text or before one; remove "after" or "before"');
  }
  return { name: raw.name, after: raw.after ?? null, before: raw.before ?? null };
}

function readFault(
  raw: RawReply['fail'],
  { empty, path }: { readonly empty: boolean; readonly path: Path },
  reading: Reading,
): Fault | null {
  if (raw === undefined) return null;
  if ('status' in raw) {
    if (!empty)
      reading.note(
        path,
        'a reply that fails with a status has no content; remove its text, reasoning and tools',
      );
    const { status, retryAfter, body } = raw;
    return { kind: 'status', status, retryAfter: retryAfter ?? null, body: body ?? null };
  }
  return { kind: raw.kind, at: raw.at === undefined ? usualPlace(raw.kind, empty) : place(raw.at) };
}

function usualPlace(kind: Exclude<Fault['kind'], 'status'>, empty: boolean): 'connect' | 'headers' | 'end' {
  if (kind === 'hang') return 'connect';
  return empty || kind === 'wrong-type' ? 'headers' : 'end';
}

function place(at: string): 'connect' | 'headers' | 'end' | { readonly piece: number } {
  if (at === 'connect' || at === 'headers' || at === 'end') return at;
  return { piece: Number(at.slice('piece '.length)) };
}

function readSight(raw: string | { readonly role: 'system'; readonly text: string }): Sight {
  return typeof raw === 'string' ? { where: 'messages', text: raw } : { where: 'system', text: raw.text };
}

function readAdded(raw: NonNullable<RawReply['adds']>[number]): Added {
  if (typeof raw === 'string') return { user: raw, source: null };
  return 'tool' in raw ? { tool: raw.tool } : { user: raw.user, source: raw.source ?? null };
}
