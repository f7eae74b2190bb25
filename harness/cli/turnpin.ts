#!/usr/bin/env node
/** The command `turnpin`: hands the process to `main`, and ends it with the exit code. */
import { main } from './main.ts';
import { turnpinVersion } from './version.ts';
import type { Output, World } from './world.ts';

const INTERRUPTED = 130;

function output(stream: NodeJS.WriteStream): Output {
  // A reader that has gone away (`turnpin check | head`) is no failure.
  stream.on('error', () => undefined);
  return {
    write: (text) => void stream.write(text),
    isTerminal: Boolean(stream.isTTY),
    columns: () => stream.columns || 80,
  };
}

/** The first signal asks the run to end what it started; a second one does not wait for that. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(INTERRUPTED);
      controller.abort();
    });
  }
  return controller.signal;
}

/** An exception that nobody catches must not cost the document (report.md, exit code 70). */
function fault(): Promise<never> {
  return new Promise((_resolve, reject) => {
    process.on('uncaughtException', reject);
    process.on('unhandledRejection', reject);
  });
}

const world: World = {
  cwd: process.cwd(),
  env: process.env,
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  interrupt: interruption(),
  fault: fault(),
  now: () => new Date(),
  ticks: () => performance.now(),
  turnpin: turnpinVersion(),
};

const code = await main(process.argv.slice(2), world);
// Whatever a subject has left open must not keep the command alive; what was printed must still arrive.
process.stdout.write('', () => process.exit(code));
