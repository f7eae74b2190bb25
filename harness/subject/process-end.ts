/** How the agent's processes end, whichever way in they serve. */
import type { GroupProcess } from './group-process.ts';
import type { ShownRecord } from './shown-record.ts';
import { killStrays } from './strays.ts';
import { SubjectError } from './subject.ts';

/** How long the command may take to end once its input has ended and nothing is left to do. */
const END_PATIENCE_MS = 5_000;

/** Ends the process, and leaves nothing of it. Rejects where it had to be forced, or has died by a signal that nobody sent. */
export async function endProcess(
  running: GroupProcess,
  { how, home }: { readonly how: 'orderly' | 'force'; readonly home: string },
): Promise<void> {
  const willing = how === 'orderly' ? await running.end(END_PATIENCE_MS) : (await running.stop(), true);
  if (how === 'force' || !willing || running.crashed) await killStrays(home);
  if (running.crashed) throw died(running, 'by a signal that nobody sent');
  if (!willing)
    throw new SubjectError(
      'SUBJECT_PROTOCOL',
      `the command did not end within ${END_PATIENCE_MS} ms after its input had ended`,
    );
}

/** Removes what a process has left: its group, and the shells that are in groups of their own. */
export async function sweep(running: GroupProcess, home: string): Promise<void> {
  await running.kill();
  await killStrays(home);
}

/** The news that the command has ended when it should not have. */
export function died(running: GroupProcess, how: string): SubjectError {
  const { code, signal } = running.exit ?? { code: null, signal: null };
  return new SubjectError(
    'SUBJECT_CRASHED',
    `the command ended ${how}, ${signal === null ? `with exit code ${code}` : `by ${signal}`}`,
  );
}

/** Resolves once the condition holds; it is looked at again whenever the subject has shown something. */
export function untilShown(record: ShownRecord, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (condition()) return resolve();
    const off = record.onChange(() => {
      if (!condition()) return;
      off();
      resolve();
    });
  });
}
