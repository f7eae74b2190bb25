import { describe, expect, it } from 'vitest';
import { liveProgress, sparseProgress } from './progress.ts';

const passed = { scenario: 'turns/a', driver: 'inproc', status: 'pass' } as const;
const failed = { scenario: 'turns/b', driver: 'cli', status: 'fail' } as const;

describe('progress', () => {
  it('on a terminal is one line that rewrites itself; what failed stays, and nothing else does', () => {
    let text = '';
    const progress = liveProgress(
      (more) => (text += more),
      () => 40,
    );
    progress.started(2);
    progress.finished(passed);
    progress.finished(failed);
    progress.ended();
    const lines = text.split('\n').map((line) => line.split('\r\u001B[2K').at(-1));
    expect(lines).toEqual(['fail  turns/b (cli)', '']);
    expect(text).toContain('1/2  turns/a');
  });

  it('in a log is silent while little is done and all goes well', () => {
    let text = '';
    const progress = sparseProgress((more) => (text += more));
    progress.started(2);
    progress.finished(passed);
    progress.ended();
    expect(text).toBe('');
    progress.finished(failed);
    expect(text).toBe('fail  turns/b (cli)\n');
  });
});
