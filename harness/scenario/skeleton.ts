/** The file that `turnpin new` writes: parses, explains itself, and fails only by what its author must fill in. Pure. */
import { problem, type Problem } from '../verdict/problem.ts';
import { inventory } from './inventory.ts';
import type { Suite } from './suite.ts';

export type Skeleton = { readonly file: string; readonly text: string } | { readonly problem: Problem };

/** `id` such as `turns/my-case`; a path that a shell completed works too. Refuses ids that cannot be and that are taken. */
export function skeleton(given: string, suite: Pick<Suite, 'paths' | 'scenarios'>): Skeleton {
  const { scenarios: folder } = suite.paths;
  const id = given.replace(/^\.\//u, '').replace(/\.yaml$/u, '');
  const path = id.startsWith(`${folder}/`) ? id.slice(folder.length + 1) : id;
  const file = `${folder}/${path}.yaml`;
  const refuse = (message: string): Skeleton => ({
    problem: problem({ kind: 'USAGE', key: given, message }),
  });
  if (path.split('/').length < 2) {
    const topics = [...new Set(suite.scenarios.map((one) => one.id.slice(0, one.id.indexOf('/'))))];
    return refuse(
      `"${given}" lacks a topic; write topic/name, such as turns/${path || 'my-case'}${topics.length > 0 ? ` (topics so far: ${topics.join(', ')})` : ''}`,
    );
  }
  const [wrong] = inventory({ folder, files: [file] }).problems;
  if (wrong !== undefined) return refuse(`"${given}" cannot be the id of a scenario: ${wrong.message}`);
  if (suite.scenarios.some((one) => one.id === path))
    return refuse(`the scenario ${path} exists already: ${file}`);
  return { file, text: skeletonText('../'.repeat(path.split('/').length - 1)) };
}

/** `up`: the way from the new file to the folder of the scenarios, such as `../`. */
function skeletonText(up: string): string {
  return `# yaml-language-server: $schema=${up}scenario.schema.json
title: What holds, in one sentence
covers: [] # ids of rules; \`turnpin rules WORD\` finds them, such as SEND-1

# What the model answers: one reply for each request, in order. Every one must be used.
model:
  main:
    - text: The answer to the first prompt.
      # What its request must look like (\`lacks\` is the opposite of \`sees\`):
      adds: [The first prompt.] # all that is new since the last answer, in order; {tool: text} for a tool's result
      # hold: {name: middle, after: The answer}         # stop there until \`release: middle\`
      # tools: [{name: bash, arguments: {command: ls}}] # call tools; the next reply gets their results
      # fail: {status: 500}                             # fail instead

# What the driver does: followup, steer, inject, cancel, idle, wait, release, write, …
# A step is done when it is sent; only \`idle\` and \`wait\` wait, and a last \`idle\` is implied.
steps:
  - followup: The first prompt.
  # - wait: {held: middle}
  # - release: middle

# What must hold. Texts are "contains"; {is: text} is equality.
expect:
  turns: # all of them, in order
    - { prompt: The first prompt., end: completed }
  # requests: 1
  # files: {notes.txt: hello}
`;
}
