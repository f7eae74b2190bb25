/** The sessions on disk, as `session/list` tells them: the latest first, a page at a time. */
import { open, stat } from 'node:fs/promises';
import type { ListSessionsResponse, SessionInfo } from '@agentclientprotocol/sdk';
import { listSessions, sessionFile } from '../session/session.ts';
import type { SessionId } from '../session/events.ts';

export const PAGE_SIZE = 50;

/** How much of a log is read for its entry: header and first prompt stand at its beginning. */
const HEAD_BYTES = 64 * 1024;
const LONGEST_TITLE = 80;

export interface ListQuery {
  /** Where the sessions lie. */
  readonly dir: string;
  /** Only those of this workspace. */
  readonly cwd: string | null;
  /** `nextCursor` of the page before. */
  readonly cursor: string | null;
}

interface DatedSession {
  readonly id: SessionId;
  readonly file: string;
  readonly updated: Date;
}

/** One page; null where the cursor is none that an earlier page gave out. Children and unreadable files are left out. */
export async function listPage({ dir, cwd, cursor }: ListQuery): Promise<ListSessionsResponse | null> {
  const from = cursor === null ? 0 : offsetOf(cursor);
  if (from === null) return null;
  const all = await dated(dir);
  const sessions: SessionInfo[] = [];
  let at = from;
  for (; at < all.length && sessions.length < PAGE_SIZE; at += 1) {
    const session = all[at];
    const info = session === undefined ? null : await infoOf(session);
    if (info !== null && (cwd === null || info.cwd === cwd)) sessions.push(info);
  }
  return at < all.length ? { sessions, nextCursor: String(at) } : { sessions };
}

function offsetOf(cursor: string): number | null {
  return /^(0|[1-9]\d{0,8})$/.test(cursor) ? Number(cursor) : null;
}

async function dated(dir: string): Promise<readonly DatedSession[]> {
  const found = await Promise.all(
    listSessions(dir).map(async (id) => {
      const file = sessionFile(dir, id);
      const stats = await stat(file).catch(() => null);
      return stats === null ? null : { id, file, updated: stats.mtime };
    }),
  );
  return found
    .filter((session) => session !== null)
    .sort((a, b) => b.updated.getTime() - a.updated.getTime() || (a.id < b.id ? -1 : 1));
}

async function infoOf({ id, file, updated }: DatedSession): Promise<SessionInfo | null> {
  const [header, ...events] = (await headOf(file)).map(parsed);
  if (text(header, 'type') !== 'session' || text(header, 'parentSession') !== null) return null;
  const title = titleOf(events);
  return {
    sessionId: id,
    cwd: text(header, 'cwd') ?? '/',
    updatedAt: updated.toISOString(),
    ...(title === null ? {} : { title }),
  };
}

/** The lines that are whole within the first bytes. */
async function headOf(file: string): Promise<readonly string[]> {
  const handle = await open(file).catch(() => null);
  if (handle === null) return [];
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead).split('\n').slice(0, -1);
  } catch {
    return [];
  } finally {
    await handle.close();
  }
}

/** The title that the agent has made, else the beginning of the first prompt. */
function titleOf(events: readonly unknown[]): string | null {
  const made = events.findLast((event) => text(event, 'type') === 'session/title');
  if (made !== undefined) return text(member(made, 'data'), 'title');
  const prompt = events.find(
    (event) =>
      text(event, 'type') === 'user/message' &&
      text(member(member(event, 'data'), 'source'), 'kind') === 'user',
  );
  const said = text(member(member(member(prompt, 'data'), 'content'), '0'), 'text')?.trim() ?? '';
  return said === '' ? null : (said.split('\n', 1)[0] ?? said).slice(0, LONGEST_TITLE);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function text(value: unknown, key: string): string | null {
  const found = member(value, key);
  return typeof found === 'string' ? found : null;
}
