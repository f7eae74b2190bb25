import { expect, it } from 'vitest';
import { CheckpointControl } from './checkpoint-control.ts';

function store() {
  const counted = { flushes: 0, flush: async () => void (counted.flushes += 1) };
  return counted;
}

it('passes flushes on until it is told otherwise', async () => {
  const [control, file] = [new CheckpointControl(), store()];
  await control.flush(file);
  expect(file.flushes).toBe(1);
});

it('hold keeps flushes from the store until release', async () => {
  const [control, file] = [new CheckpointControl(), store()];
  control.hold();
  const flushed = Promise.all([control.flush(file), control.flush(file)]);
  expect(file.flushes).toBe(0);
  control.release();
  await flushed;
  expect(file.flushes).toBe(2);
});

it('fail rejects the next flush alone, and it never reaches the store', async () => {
  const [control, file] = [new CheckpointControl(), store()];
  control.fail();
  await expect(control.flush(file)).rejects.toThrow('made to fail');
  expect(file.flushes).toBe(0);
  await control.flush(file);
  expect(file.flushes).toBe(1);
});

it('fail rejects a flush that is held', async () => {
  const [control, file] = [new CheckpointControl(), store()];
  control.hold();
  const flushed = control.flush(file);
  control.fail();
  await expect(flushed).rejects.toThrow('made to fail');
});
