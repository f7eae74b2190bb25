/** The `gate` program: how a scenario holds a tool (scenarios.md, "Steps"). */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/** The program text. It says its name, waits for one line, and ends; a run that goes away ends it with exit code 1. */
function program(port: number): string {
  return `'use strict';
const name = process.argv[2];
if (!name) {
  process.stderr.write('usage: gate NAME\\n');
  process.exit(2);
}
const socket = require('node:net').connect(${port}, '127.0.0.1', () => socket.write(name + '\\n'));
socket.on('data', () => process.exit(0));
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit(1));
`;
}

/** The gates of one run. A gate whose process ended counts as released; a release that comes first is remembered. */
export class Gates {
  readonly #server: Server;
  readonly #waiting = new Map<string, Set<Socket>>();
  readonly #early = new Set<string>();
  readonly #reached = new Set<string>();
  readonly #sockets = new Set<Socket>();
  readonly #listeners = new Set<() => void>();

  private constructor() {
    this.#server = createServer((socket) => this.#welcome(socket));
  }

  /** Listens on 127.0.0.1 and writes the executable `gate` into `bin`. */
  static async open(bin: string): Promise<Gates> {
    const gates = new Gates();
    await new Promise<void>((resolve, reject) => {
      gates.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    const address = gates.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the gate server has no port');
    await mkdir(bin, { recursive: true });
    const script = join(bin, 'gate.cjs');
    await writeFile(script, program(address.port));
    const command = join(bin, 'gate');
    await writeFile(command, `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(script)} "$@"\n`);
    await chmod(command, 0o755);
    return gates;
  }

  /** Names of gates that block now, in order of arrival. */
  held(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  /** Names that were released and that no process ever asked for. */
  neverReached(): readonly string[] {
    return [...this.#early].filter((name) => !this.#reached.has(name));
  }

  /** Opens a gate; one that nobody waits at stays open for the first who comes. */
  release(name: string): void {
    const sockets = this.#waiting.get(name);
    if (sockets === undefined) {
      this.#early.add(name);
      return;
    }
    this.#waiting.delete(name);
    for (const socket of sockets) socket.end('go\n');
    this.#changed();
  }

  /** Ends the gates that block now, without opening them: those who waited for them were killed. */
  abandon(): void {
    for (const sockets of this.#waiting.values()) for (const socket of sockets) socket.destroy();
    this.#waiting.clear();
    this.#changed();
  }

  /** Resolves once nothing blocks any more, at the latest after this time: the end of a process arrives a moment after it. */
  settled(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        off();
        resolve();
      };
      const look = (): void => {
        if (this.#waiting.size === 0) settle();
      };
      const timer = setTimeout(settle, milliseconds);
      const off = this.onChange(look);
      look();
    });
  }

  /** Called when a gate begins or ceases to block. Returns the function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends every gate that still blocks. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #welcome(socket: Socket): void {
    this.#sockets.add(socket);
    let name = '';
    let known = false;
    socket.setEncoding('utf8');
    socket.on('error', () => {});
    socket.on('data', (text: string) => {
      if (known) return;
      name += text;
      if (!name.endsWith('\n')) return;
      known = true;
      name = name.slice(0, -1);
      this.#arrived(name, socket);
    });
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (known) this.#left(name, socket);
    });
  }

  #arrived(name: string, socket: Socket): void {
    this.#reached.add(name);
    if (this.#early.delete(name)) {
      socket.end('go\n');
      return;
    }
    const sockets = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, sockets.add(socket));
    this.#changed();
  }

  #left(name: string, socket: Socket): void {
    const sockets = this.#waiting.get(name);
    if (sockets === undefined || !sockets.delete(socket)) return;
    if (sockets.size === 0) this.#waiting.delete(name);
    this.#changed();
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
