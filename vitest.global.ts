/** Each run of the tests has its own directory for temporary files, so that nothing is left of what a test forgets or kills. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where `tmpdir()` leads in a test, and in a process that inherits its environment. */
    temporaryDirectory: string;
  }
}

/** Makes it before the first worker starts; the function that it returns removes it after the last one has ended. */
export default function setup(project: TestProject): () => void {
  const directory = mkdtempSync(path.join(tmpdir(), 'turnpin-'));
  process.env['TMPDIR'] = directory;
  project.provide('temporaryDirectory', directory);
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
}
