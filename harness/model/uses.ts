/** Linear use: what a script declares is used, once, to its end, or it is a problem (pins.md, rule 4). Pure. */
import type { ModelScript, Reply } from '../scenario/scenario.ts';
import type { Exchange, ModelFinding } from './exchange.ts';

/** A reply that a request has drawn. */
export interface Use {
  readonly exchange: Exchange;
  readonly reply: Reply;
}

/** Replies that were begun and did not end as the script means: abandoned, still held, or not closed by the subject. */
export function untoldUses(
  uses: readonly Use[],
  facts: { readonly heldBy: (exchange: Exchange) => string | null },
): ModelFinding[] {
  return uses.flatMap((use) => {
    const finding = verdictOn(use, facts.heldBy(use.exchange));
    return finding === null ? [] : [finding];
  });
}

function verdictOn({ exchange, reply }: Use, heldBy: string | null): ModelFinding | null {
  const { key } = reply;
  const told = (kind: ModelFinding['kind'], message: string): ModelFinding => ({
    kind,
    key,
    message: `${key}: ${message}`,
    diff: null,
  });
  if (reply.ends === 'cancelled') {
    if (exchange.outcome === 'cut') return null;
    const how = exchange.outcome === 'open' ? 'it is still open' : `it ${exchange.outcome}`;
    return told('EXPECTATION_FAILED', `the subject must close this request before its end; ${how}.`);
  }
  if (heldBy !== null)
    return told(
      'UNRELEASED_HOLD',
      `the hold ${heldBy} was reached and never released. Add \`release: ${heldBy}\`, or \`ends: cancelled\` where the subject is to close the request.`,
    );
  if (reply.fail !== null) return null;
  if (exchange.outcome === 'cut')
    return told(
      'UNUSED_REPLY',
      'the subject hung up before this reply had ended. Where that is meant, say `ends: cancelled`.',
    );
  return exchange.outcome === 'open'
    ? told('UNUSED_REPLY', 'this reply was begun and had not ended when the run did.')
    : null;
}

export interface UsedUp {
  /** Replies drawn, by conversation. */
  readonly drawn: ReadonlyMap<string, number>;
  readonly usedAsides: ReadonlySet<string>;
  readonly optionalAsides: readonly string[];
  /** Conversations whose request the provider's rules refused. */
  readonly refusedIn: ReadonlySet<string>;
  /** A request came that nobody expected, and ended the run: what was not used then tells nothing. */
  readonly missed: boolean;
}

/** Replies that nothing has drawn; a conversation that nothing has opened counts once. */
export function unusedReplies(script: ModelScript, used: UsedUp): ModelFinding[] {
  if (used.missed) return [];
  const conversations = script.conversations.flatMap(({ name, replies }) => {
    const drawn = used.drawn.get(name) ?? 0;
    if (used.refusedIn.has(name)) return [];
    if (drawn === 0 && replies.length > 0 && name !== 'main') {
      return [
        unused(
          name,
          `The conversation ${name} was never opened; its ${replies.length} ${replies.length === 1 ? 'reply is' : 'replies are'} unused.`,
        ),
      ];
    }
    return replies
      .slice(drawn)
      .map((reply) =>
        unused(
          reply.key,
          `${reply.key} was never asked for: ${name} drew ${drawn} of ${replies.length} replies.`,
        ),
      );
  });
  const asides = script.asides
    .filter(({ name }) => !used.usedAsides.has(name) && !used.optionalAsides.includes(name))
    .map(({ name }) => unused(`aside.${name}`, `The aside ${name} was never asked for.`));
  return [...conversations, ...asides];
}

function unused(key: string, message: string): ModelFinding {
  return { kind: 'UNUSED_REPLY', key, message, diff: null };
}
