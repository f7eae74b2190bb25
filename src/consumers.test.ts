/**
 * Nothing that uses an agent derives the outcome of one message by correlating a `MessageId` with a `turn/end`
 * (seed 000, "Verification"). The ACP bridge's error attribution is the one exception.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import type { RunResult } from './sdk/client.ts';
import type { EventData } from './session/events.ts';

/** Whoever builds upon an agent. The core itself, which records both facts, is below them. */
const CONSUMERS = ['subagent', 'goal', 'assembly', 'sdk', 'acp', 'cli'];

/** The one place that may: a model error rejects the prompt that its own turn claimed (ACP-4, ACP-7). */
const ALLOWED = ['acp/prompt-lane.ts: PromptLane'];

/** Names of the functions and classes in which a message is identified and the end of a turn is looked at. */
function correlations(file: string, text: string): readonly string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): boolean => {
    // The innermost scope is the one that is named.
    let inside = false;
    ts.forEachChild(node, (child) => {
      inside = visit(child) || inside;
    });
    if (inside || !isScope(node) || !correlates(node.getText(source))) return inside;
    found.push(
      node.name?.getText(source) ??
        `a function on line ${source.getLineAndCharacterOfPosition(node.pos).line + 1}`,
    );
    return true;
  };
  visit(source);
  return found;
}

function isScope(node: ts.Node): node is ts.FunctionLikeDeclaration | ts.ClassDeclaration {
  return (ts.isFunctionLike(node) && 'body' in node) || ts.isClassDeclaration(node);
}

function correlates(text: string): boolean {
  return (
    /['"`]turn\/end['"`]/.test(text) &&
    /\bmessageId\b|\bMessageId\b|\bmessage\.id\b|\bid === |\binserted\b/.test(text)
  );
}

describe('no result of a single message (seed 000)', () => {
  const root = fileURLToPath(new URL('.', import.meta.url));
  const files = CONSUMERS.filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        path.join(folder, name),
      ),
    )
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('fixtures'));

  it('no production code of a consumer correlates a message id with a turn/end, the error attribution of ACP apart', () => {
    expect(files.length).toBeGreaterThan(10);
    expect(
      files.flatMap((file) =>
        correlations(file, readFileSync(path.join(root, file), 'utf8')).map((name) => `${file}: ${name}`),
      ),
    ).toEqual(ALLOWED);
  });

  it('the check sees a correlation, in a function and spread over a class', () => {
    const inFunction = `function outcome(events, messageId) {
      return events.find((event) => event.type === 'turn/end' && event.data.message.id === messageId);
    }`;
    const inClass = `class Pairing {
      prompt(messageId) { this.waiting = messageId; }
      observe(event) { if (event.type === 'turn/end') this.resolve(event.data.reason); }
    }`;
    expect(correlations('a.ts', inFunction)).toHaveLength(1);
    expect(correlations('b.ts', inClass)).toEqual(['Pairing']);
    expect(
      correlations('c.ts', `function last(events) { return events.findLast((e) => e.type === 'turn/end'); }`),
    ).toEqual([]);
  });

  it('the types offer none either', () => {
    type NoMessage = 'messageId' extends keyof EventData['turn/end'] ? false : true;
    type NoOutcome =
      Extract<keyof RunResult, 'status' | 'reason' | 'stopReason' | 'finishReason'> extends never
        ? true
        : false;
    const types: [NoMessage, NoOutcome] = [true, true];
    expect(types).toEqual([true, true]);
  });
});
