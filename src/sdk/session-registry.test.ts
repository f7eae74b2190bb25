import { expect, it } from 'vitest';
import type { SessionId } from '../session/events.ts';
import { gate } from './fixtures/places.ts';
import { SessionRegistry } from './session-registry.ts';
import type { OpenSession } from './session-registry.ts';

const ID = 's' as SessionId;
const session =
  (dispose: () => Promise<void>): (() => Promise<OpenSession>) =>
  () =>
    Promise.resolve({ dispose });

it('an opening that comes while its id is being closed waits for that, and is a session of its own', async () => {
  const registry = new SessionRegistry(() => {});
  const held = gate();
  const order: string[] = [];
  const first = await registry.open(
    ID,
    session(async () => {
      await held.opened;
      order.push('closed');
    }),
  );
  const closing = registry.close(ID);
  expect(registry.get(ID)).toBeUndefined();
  expect(await registry.close(ID)).toBe(false);
  const second = registry.open(ID, () => {
    order.push('opened');
    return Promise.resolve({ dispose: () => Promise.resolve() });
  });
  held.open();
  expect(await closing).toBe(true);
  expect(await second).not.toBe(first);
  expect(order).toEqual(['closed', 'opened']);
  expect(await registry.get(ID)).toBe(await second);
});

it('a session whose last flush fails is told to the operator and to who closes it, and is closed all the same', async () => {
  const told: string[] = [];
  const registry = new SessionRegistry((message) => told.push(message));
  await registry.open(
    ID,
    session(() => Promise.reject(new Error('no room'))),
  );
  await expect(registry.close(ID)).rejects.toThrow('no room');
  expect(told).toEqual(['a session was not saved completely: no room']);
  expect([registry.saved, registry.get(ID)]).toEqual([false, undefined]);
  // What was closed badly does not keep its id.
  await registry.open(
    ID,
    session(() => Promise.resolve()),
  );
  expect(await registry.close(ID)).toBe(true);
});

it('one that could not be opened is not there to be closed, and its id is free', async () => {
  const registry = new SessionRegistry(() => {});
  const failed = registry.open(ID, () => Promise.reject(new Error('damaged')));
  const closing = registry.close(ID);
  await expect(failed).rejects.toThrow('damaged');
  expect(await closing).toBe(false);
  await expect(
    registry.open(
      ID,
      session(() => Promise.resolve()),
    ),
  ).resolves.toBeDefined();
});

it('the end of all waits for what is being closed, whatever becomes of each', async () => {
  const registry = new SessionRegistry(() => {});
  const held = gate();
  let closed = false;
  await registry.open(
    ID,
    session(async () => {
      await held.opened;
      closed = true;
    }),
  );
  await registry.open(
    'bad' as SessionId,
    session(() => Promise.reject(new Error('no room'))),
  );
  void registry.close(ID);
  const ended = registry.dispose().then(() => closed);
  held.open();
  expect(await ended).toBe(true);
  expect(registry.saved).toBe(false);
});
