/** The environment of a subject: a list, not the user's (ports.md, "Process hygiene"). */
import { delimiter, dirname, join } from 'node:path';
import type { Launch } from './subject.ts';

/** Where programs lie that tools of a scenario may use. */
const SYSTEM_PATH = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** Directory for temporary files of a subject, below its home. */
export function temporaryDirectory(home: string): string {
  return join(home, 'tmp');
}

/** What a process of the subject gets to see: this list, and what the launch adds to it. */
export function subjectEnvironment({
  bin,
  home,
  env,
}: Pick<Launch, 'bin' | 'home' | 'env'>): Record<string, string> {
  const path = [...(bin === null ? [] : [bin]), dirname(process.execPath), ...SYSTEM_PATH];
  return {
    PATH: path.join(delimiter),
    HOME: home,
    TMPDIR: temporaryDirectory(home),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    SHELL: '/bin/sh',
    ...env,
  };
}
