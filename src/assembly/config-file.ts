/** `agent.yaml` on disk -> `AgentConfig`, with the position of every fault. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { LineCounter, isAlias, isMap, isPair, isScalar, isSeq, parseAllDocuments, visit } from 'yaml';
import type { Document, ParsedNode } from 'yaml';
import { checkConfig, isSecret } from './config.ts';
import type { AgentConfig, Fault } from './config.ts';
import { ConfigError, configError } from './config-error.ts';
import type { ConfigProblem } from './config-error.ts';
import { absolute } from './directory.ts';
import { codeOf, messageOf } from '../session/thrown.ts';

/**
 * Reads and checks `file`, which errors call `name`. A relative `sessions.dir` is read as relative to the file.
 * Throws `ConfigError`.
 */
export async function readConfigFile(file: string, name: string = file): Promise<AgentConfig> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    throw configError(name, unreadable(error));
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw configError(name, 'is not UTF-8 text; save it as UTF-8.');
  }
  const config = parseConfig(text, name);
  const dir = config.sessions?.dir;
  if (dir === undefined) return config;
  return { ...config, sessions: { dir: absolute(dir, path.dirname(path.resolve(file))) } };
}

/** Checks the text of one `agent.yaml`; an empty one is a working agent. `file` only names it in errors. */
export function parseConfig(text: string, file: string): AgentConfig {
  const source = new Source(text.startsWith('\uFEFF') ? text.slice(1) : text, file);
  const document = source.document();
  if (document === null) return {};
  const { config, faults } = checkConfig(document.toJS({ maxAliasCount: 0 }));
  if (config !== null) return config;
  throw new ConfigError(
    faults.map((fault) => {
      const problem = source.problem(offsetOf(document, fault), fault.message);
      return fault.at === 'value' && isSecret(fault.path) ? { ...problem, source: null } : problem;
    }),
  );
}

/** One text with its line positions. */
class Source {
  readonly #lines = new LineCounter();
  readonly #text: string;
  readonly #file: string;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
  }

  /** The one document of the text, sound as YAML; null where there is nothing in it. */
  document(): Document.Parsed | null {
    const parsed = parseAllDocuments(this.#text, {
      lineCounter: this.#lines,
      merge: false,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: 'silent',
    });
    if (!Array.isArray(parsed)) return null;
    for (const document of parsed) this.#refuseUnsound(document);
    const [first, second] = parsed.filter((document) => !isEmpty(document));
    if (second !== undefined) {
      this.#fail(second.contents?.range[0] ?? 0, 'a second document starts here; one file holds one agent.');
    }
    return first ?? null;
  }

  #refuseUnsound(document: Document.Parsed): void {
    const [broken] = [...document.errors, ...document.warnings];
    if (broken !== undefined) this.#fail(broken.pos[0], yamlMessage(broken.code, broken.message));
    if (document.directives.yaml.version !== '1.2')
      this.#fail(0, 'expected YAML 1.2; remove the %YAML directive.');
    visit(document, {
      Alias: (_, alias) =>
        this.#fail(alias.range?.[0] ?? 0, 'an alias; write the value out where it is needed.'),
      Map: (_, map) => {
        const lines = new Map<string, number>();
        for (const { key } of map.items) {
          if (!isScalar(key)) continue;
          const offset = key.range?.[0] ?? 0;
          const name = String(key.value);
          const first = lines.get(name);
          const { line } = this.#lines.linePos(offset);
          if (first !== undefined)
            this.#fail(offset, `the key "${name}" stands twice, on lines ${first} and ${line}.`);
          lines.set(name, line);
        }
      },
    });
  }

  problem(offset: number, message: string): ConfigProblem {
    const { line, col } = this.#lines.linePos(offset);
    const source = this.#text.split(/\r\n|[\r\n]/)[line - 1] ?? null;
    return { file: this.#file, line: Math.max(line, 1), column: Math.max(col, 1), source, message };
  }

  #fail(offset: number, message: string): never {
    throw new ConfigError([this.problem(offset, message)]);
  }
}

function isEmpty(document: Document.Parsed): boolean {
  const { contents } = document;
  return contents === null || (isScalar(contents) && contents.value === null);
}

/** Where in the text a fault lies; the nearest node that exists. */
function offsetOf(document: Document.Parsed, fault: Fault): number {
  let node: unknown = document.contents;
  let offset = start(node);
  for (const [depth, part] of fault.path.entries()) {
    const last = depth === fault.path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (!isPair(pair)) return offset;
      offset = last && fault.at === 'key' ? start(pair.key) : start(pair.value) || start(pair.key);
      if (isScalar(pair.value) && pair.value.value === null) offset = start(pair.key);
      node = pair.value;
    } else if (isSeq(node) && typeof part === 'number') {
      node = node.items[part];
      offset = start(node);
    } else {
      return offset;
    }
  }
  return offset;
}

function start(node: unknown): number {
  if (isMap(node) || isSeq(node) || isScalar(node) || isAlias(node)) return (node as ParsedNode).range[0];
  return 0;
}

function yamlMessage(code: string, message: string): string {
  if (code === 'TAB_AS_INDENT') return 'a tab is used for indentation; YAML indents with spaces alone.';
  return `not valid YAML: ${message.split('\n')[0] ?? message}`;
}

function unreadable(error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOENT') return 'there is no such file. Name an existing one with --config.';
  if (code === 'EISDIR') return 'is a directory; expected a YAML file.';
  return `cannot be read: ${messageOf(error)}`;
}
