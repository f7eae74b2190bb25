/** One run of a scripted model: keeps what has happened, and asks the pure parts what to do. */
import { hash } from 'node:crypto';
import type { ModelScript, Reply } from '../scenario/scenario.ts';
import { announcedChild } from './announced-child.ts';
import type {
  Action,
  Attribution,
  Exchange,
  ModelFinding,
  NeutralRequest,
  Outcome,
  WireRequest,
} from './exchange.ts';
import { FinishedReplies, type Drawn } from './finished-replies.ts';
import { fillReply } from './fill.ts';
import { carriesForeignCredential } from './headers.ts';
import { Holds } from './holds.ts';
import { jsonAnswer, planReply } from './plan.ts';
import { decide, type ConversationState, type Decision, type RunState } from './respond.ts';
import type { ScriptedModel } from './scripted-model.ts';
import { Sent } from './sent.ts';
import { untoldUses, unusedReplies, type Use } from './uses.ts';
import { utterance } from './utterance.ts';
import type { Wire, WireName } from './wires/wire.ts';
import { wireNamed } from './wires/wires.ts';

export interface ModelOptions {
  readonly wire: WireName;
  /** The key that the subject was given; null where any will do. */
  readonly apiKey: string | null;
  /** The id that the subject gave to the child of that conversation, for `{{child:NAME}}`; null where no event told it: then it is looked for in the history. */
  readonly childId?: (conversation: string) => string | null;
  /** Values of further placeholders in replies: `cwd`, `home`, `modelUrl`, `apiKey`. */
  readonly values?: Readonly<Record<string, string>>;
  /** Conversations whose requests may rewrite their history (REQ-3). */
  readonly rewrites?: readonly string[];
  /** Asides that need not be used in this run: those of a manifest. */
  readonly optionalAsides?: readonly string[];
  /** Milliseconds since the epoch; needed for a `Retry-After` that is a date. */
  readonly clock?: () => number;
}

/** A model that plays this script. */
export function createScriptedModel(script: ModelScript, options: ModelOptions): ScriptedModel {
  return new ScriptedRun(script, options);
}

type DrawnUse = Use & { drawn: Drawn | null };
type MutableConversation = ConversationState & { drawn: Drawn[]; last: NeutralRequest | null };

class ScriptedRun implements ScriptedModel {
  readonly #script: ModelScript;
  readonly #options: ModelOptions;
  readonly #wire: Wire;
  readonly #conversations: MutableConversation[];
  readonly #asides: { readonly script: ModelScript['asides'][number]; used: number }[];
  readonly #exchanges: Exchange[] = [];
  readonly #uses = new Map<Exchange, DrawnUse>();
  readonly #holds = new Holds();
  readonly #findings: ModelFinding[] = [];
  readonly #reasoned = new Set<string>();
  readonly #finished = new FinishedReplies();
  readonly #refusedIn = new Set<string>();
  /** Of the names of conversations and asides. */
  readonly #digests = new Map<string, string>();
  readonly #listeners = new Set<() => void>();
  #missed: number | null = null;
  #told: readonly ModelFinding[] | null = null;

  constructor(script: ModelScript, options: ModelOptions) {
    this.#script = script;
    this.#options = options;
    this.#wire = wireNamed(options.wire);
    this.#conversations = script.conversations.map((conversation) => ({
      name: conversation.name,
      opens: conversation.opens,
      script: conversation,
      drawn: [],
      last: null,
    }));
    this.#asides = script.asides.map((aside) => ({ script: aside, used: 0 }));
  }

  begin(request: WireRequest): { readonly exchange: Exchange; readonly actions: readonly Action[] } {
    const decision = decide(this.#state(), request, this.#wire);
    const exchange: Exchange = {
      number: this.#exchanges.length + 1,
      request,
      neutral: decision.is === 'startup' ? null : decision.neutral,
      attribution: attributionOf(decision),
      agentsOwn: decision.is === 'startup' ? [] : decision.own,
      outcome: 'open',
      sent: new Sent(),
    };
    this.#exchanges.push(exchange);
    this.#note(exchange, decision);
    const actions = this.#carryOut(exchange, decision);
    this.#changed();
    return { exchange, actions };
  }

  ended(exchange: Exchange, outcome: Exclude<Outcome, 'open'>): void {
    if (exchange.outcome !== 'open') return;
    this.#settle(exchange, outcome);
    this.#holds.forget(exchange);
    this.#changed();
  }

  reached(exchange: Exchange, hold: string): Promise<void> {
    const released = this.#holds.reached(exchange, hold);
    this.#changed();
    return released;
  }

  held(): readonly string[] {
    return this.#holds.held();
  }

  release(hold: string): void {
    this.#holds.release(hold);
    this.#changed();
  }

  cancelled(): void {
    for (const conversation of this.#conversations) {
      const from = startOfTurn(conversation.drawn);
      for (const drawn of conversation.drawn.slice(from)) Object.assign(drawn, { cancelledTurn: true });
    }
  }

  exchanges(): readonly Exchange[] {
    return this.#exchanges;
  }

  isOver(): boolean {
    if (this.#exchanges.some(({ outcome }) => outcome === 'open')) return false;
    if (this.#missed !== null) return true;
    return (
      this.#conversations.every(({ script, drawn }) => drawn.length >= script.replies.length) &&
      this.#asides.every((aside) => aside.used > 0)
    );
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  finish(): readonly ModelFinding[] {
    if (this.#told !== null) return this.#told;
    const facts = { heldBy: (exchange: Exchange) => this.#holds.heldBy(exchange) };
    const told = [
      ...this.#findings,
      ...untoldUses([...this.#uses.values()], facts),
      ...unusedReplies(this.#script, {
        drawn: new Map(this.#conversations.map(({ script, drawn }) => [script.name, drawn.length])),
        usedAsides: new Set(this.#asides.filter((aside) => aside.used > 0).map((aside) => aside.script.name)),
        optionalAsides: this.#options.optionalAsides ?? [],
        refusedIn: this.#refusedIn,
        missed: this.#missed !== null,
      }),
    ];
    this.#told = told;
    for (const exchange of this.#exchanges.filter(({ outcome }) => outcome === 'open')) {
      this.#settle(exchange, 'cut');
      this.#holds.forget(exchange);
    }
    this.#changed();
    return told;
  }

  #state(): RunState {
    return {
      conversations: this.#conversations,
      asides: this.#asides,
      missed: this.#told === null ? this.#missed : (this.#missed ?? 0),
      rewrites: this.#options.rewrites ?? [],
      reasoned: this.#reasoned,
      finished: this.#finished,
    };
  }

  /** Keeps what was found wrong: a broken prefix once for each conversation, a foreign credential once a run. */
  #note(exchange: Exchange, decision: Decision): void {
    const findings = decision.is === 'startup' ? [] : decision.findings;
    for (const finding of findings) {
      const again = finding.kind === 'PREFIX_BROKEN' && this.#has(finding.kind, finding.key);
      if (!again) this.#findings.push(finding);
    }
    if (decision.is === 'refusal') {
      if (decision.conversation !== null) this.#refusedIn.add(decision.conversation);
      else if (findings.length > 0) this.#missed = exchange.number;
    }
    const { apiKey } = this.#options;
    if (
      apiKey === null ||
      this.#has('CREDENTIAL_SEEN', 'model') ||
      !carriesForeignCredential(exchange.request.headers, apiKey)
    )
      return;
    const message = `Request ${exchange.number} carries a credential that is not the key handed out to the subject.`;
    this.#findings.push({ kind: 'CREDENTIAL_SEEN', key: 'model', message, diff: null });
  }

  #has(kind: ModelFinding['kind'], key: string): boolean {
    return this.#findings.some((finding) => finding.kind === kind && finding.key === key);
  }

  #carryOut(exchange: Exchange, decision: Decision): readonly Action[] {
    switch (decision.is) {
      case 'startup':
        return jsonAnswer(this.#wire, 200, decision.startup.body);
      case 'refusal':
        return jsonAnswer(this.#wire, 400, this.#wire.errorBody(400, decision.message));
      case 'reply':
        return this.#draw(exchange, decision);
    }
  }

  #draw(exchange: Exchange, decision: Extract<Decision, { is: 'reply' }>): readonly Action[] {
    const { reply, neutral, attribution } = decision;
    const wireReply = fillReply({
      reply,
      use: this.#countUse(attribution),
      valueOf: (placeholder) => this.#valueOf(placeholder, reply, neutral),
      callIdPrefix: this.#wire.callIdPrefix,
    });
    const drawn: Drawn = {
      said: utterance(wireReply.text, wireReply.calls),
      finish: wireReply.finish,
      outcome: 'open',
      cancelledTurn: false,
    };
    this.#uses.set(exchange, { exchange, reply, drawn: attribution.to === 'conversation' ? drawn : null });
    const conversation =
      attribution.to === 'conversation'
        ? this.#conversations.find(({ script }) => script.name === attribution.name)
        : undefined;
    if (conversation !== undefined) {
      conversation.drawn.push(drawn);
      conversation.last = neutral;
    }
    if (wireReply.reasoning !== null) wireReply.calls.forEach((call) => this.#reasoned.add(call.id));
    return planReply({
      reply,
      wireReply,
      wire: this.#wire,
      context: { request: neutral, exchange: exchange.number },
      request: exchange.request,
      now: this.#options.clock ?? Date.now,
    });
  }

  /** A name for this use of a reply in ids: the same in every run, and different from every other use in this one. */
  #countUse({ to, name, reply }: Extract<Attribution, { to: 'conversation' | 'aside' }>): string {
    const who = `${to}/${name}`;
    const digest = this.#digests.get(who) ?? hash('sha256', who).slice(0, 12);
    this.#digests.set(who, digest);
    const aside = to === 'aside' ? this.#asides.find(({ script }) => script.name === name) : undefined;
    if (aside !== undefined) aside.used += 1;
    return digest + String(aside?.used ?? reply).padStart(4, '0');
  }

  #valueOf(placeholder: string, reply: Reply, neutral: NeutralRequest): string | null {
    const child = /^child:(.+)$/.exec(placeholder)?.[1]?.trim();
    if (child === undefined) return this.#options.values?.[placeholder] ?? null;
    const id = this.#options.childId?.(child) ?? this.#announced(child, neutral);
    if (id === null) {
      const message = `${reply.key}: {{child:${child}}} stands for a child that the subject has not announced.`;
      this.#findings.push({ kind: 'EXPECTATION_FAILED', key: reply.key, message, diff: null });
    }
    return id;
  }

  /** The id in the history of this request, else in that of any conversation. */
  #announced(child: string, neutral: NeutralRequest): string | null {
    const opens = this.#script.conversations.find(({ name }) => name === child)?.opens ?? null;
    if (opens === null) return null;
    for (const request of [neutral, ...this.#conversations.map(({ last }) => last)]) {
      const id = request === null ? null : announcedChild(opens, request);
      if (id !== null) return id;
    }
    return null;
  }

  #settle(exchange: Exchange, outcome: Exclude<Outcome, 'open'>): void {
    const use = this.#uses.get(exchange);
    exchange.outcome =
      use !== undefined && use.reply.fail !== null && outcome === 'finished' ? 'failed' : outcome;
    if (exchange.attribution.to === 'nobody' && outcome === 'finished') exchange.outcome = 'failed';
    if (use === undefined || use.drawn === null) return;
    Object.assign(use.drawn, { outcome: exchange.outcome });
    if (exchange.outcome === 'finished') this.#finished.add(use.drawn);
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function attributionOf(decision: Decision): Attribution {
  switch (decision.is) {
    case 'startup':
      return { to: 'startup', what: decision.startup.what };
    case 'refusal':
      return { to: 'nobody' };
    case 'reply':
      return decision.attribution;
  }
}

/** Index of the first reply of the turn under way: the one after the last finished reply without calls, the newest aside. */
function startOfTurn(drawn: readonly Drawn[]): number {
  const before = drawn.slice(0, -1);
  return before.findLastIndex((reply) => reply.outcome === 'finished' && reply.said.calls.length === 0) + 1;
}
