import { mkdtemp } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { textOf } from '../agent/fixtures/rehearsal.ts';
import { createSession, openSession } from '../session/session.ts';
import type { SessionStore } from '../session/store.ts';
import { diskChildSessions } from './child-sessions.ts';
import { Troupe, received, recorded, result, settle } from './fixtures/troupe.ts';

/** A root that has come to rest while its child still works. */
async function parked(options: ConstructorParameters<typeof Troupe>[0] = {}) {
  const troupe = new Troupe(options);
  troupe.prompt('main');
  const { id, first } = await troupe.spawn(await troupe.next('main'), 'audit');
  (await troupe.next('main')).reply('waiting');
  await troupe.agent.whenIdle();
  return { troupe, id, child: first };
}

/** Maintenance that lasts until it is ended. */
function maintain(troupe: Troupe): () => Promise<void> {
  let end = (): void => {};
  const done = troupe.agent.runMaintenance(() => new Promise<void>((resolve) => (end = resolve)));
  return () => {
    end();
    return done;
  };
}

const target = (troupe: Troupe, kind: 'subagent-settled' | 'subagent-report') =>
  troupe.agent.events().flatMap((event) => {
    if (event.type !== 'agent/inbox/spliced') return [];
    const { inserted, target: list, quiet = false } = event.data;
    return inserted.some(({ source }) => source.kind === kind) ? [{ list, quiet }] : [];
  });

describe('settlement', () => {
  it('SETTLE-1: an idle parent gets an ordinary message, which wakes it', async () => {
    const { troupe, child } = await parked();
    child.reply('the answer');
    (await troupe.next('main')).reply('thanks');
    await troupe.agent.whenIdle();
    expect(target(troupe, 'subagent-settled')).toEqual([{ list: 'next-turn', quiet: false }]);
    expect(recorded(troupe.agent.events())).toEqual(['user', 'subagent-settled']);
  });

  it.each([
    ['completed', { text: 'x' }, 'has finished'],
    ['the token ceiling', { text: 'x', finish: 'length' as const }, 'ran out of room'],
    ['refused', { finish: 'content-filter' as const }, 'was declined'],
  ])('SETTLE-1: however it ended: %s', async (_, reply, sentence) => {
    const { troupe, child } = await parked();
    child.reply(reply);
    await troupe.next('main');
    expect(textOf(received(troupe.agent.events())[0] ?? { content: [] })).toContain(sentence);
  });

  it('SETTLE-1: a child whose request fails is told as failed, with the reason', async () => {
    const { troupe, child } = await parked();
    child.fail({ message: 'No such model' });
    await troupe.next('main');
    const [notice] = received(troupe.agent.events());
    expect(notice?.content.map(({ text }) => text).join()).toContain(
      'has failed: No such model. It left no closing',
    );
  });

  it('SETTLE-4: a child that dies before its first step has failed', async () => {
    const broken = (): string => {
      throw new Error('no prompt');
    };
    const troupe = new Troupe({ child: { systemPrompt: broken } });
    troupe.prompt('main');
    (await troupe.next('main')).reply({
      calls: [troupe.call('subagent', { description: 'audit', prompt: 'task audit' })],
    });
    await troupe.finished('audit');
    expect(received(troupe.agent.events())[0]?.content[0]?.text).toContain('has failed: no prompt.');
    expect(troupe.endings('audit')).toEqual(['error']);
  });

  it('SETTLE-1: a child that is interrupted and has nothing else to do was stopped; its visible words are told', async () => {
    const { troupe, id, child } = await parked();
    child.say('half an answer');
    troupe.children.interrupt(id);
    await troupe.next('main');
    const [notice] = received(troupe.agent.events());
    expect(notice?.content[0]?.text).toContain('was stopped before it had finished');
    expect(notice?.content[1]?.text).toBe('half an answer');
  });

  it('SETTLE-1: whether it reported or not, once an epoch', async () => {
    const { troupe, child } = await parked();
    child.reply({ calls: [troupe.call('report', { text: 'all of it' })] });
    const root = await troupe.next('main');
    (await troupe.next('task audit')).reply('done');
    root.reply('read');
    (await troupe.next('main')).reply('and settled');
    await troupe.agent.whenIdle();
    expect(received(troupe.agent.events()).map(({ source }) => source.kind)).toEqual([
      'subagent-report',
      'subagent-settled',
    ]);
  });

  it('a parent in a turn gets steering: once, at the next boundary', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { first } = await troupe.spawn(await troupe.next('main'), 'audit');
    const root = await troupe.next('main');
    first.reply('the answer');
    await troupe.finished('audit');
    root.reply('meanwhile');
    const told = await troupe.next('main');
    expect(target(troupe, 'subagent-settled')).toEqual([{ list: 'next-step', quiet: false }]);
    expect(told.request.history.at(-1)).toMatchObject({ message: { source: { kind: 'subagent-settled' } } });
    told.reply('noted');
    await troupe.agent.whenIdle();
    expect(troupe.agent.events().filter((event) => event.type === 'turn/start')).toHaveLength(1);
  });

  it('SETTLE-2: in maintenance the report waits in next-step, the settlement in next-turn; one turn claims both, report first', async () => {
    const { troupe, child } = await parked();
    const end = maintain(troupe);
    child.reply({ calls: [troupe.call('report', { text: 'all of it' })] });
    (await troupe.next('task audit')).reply('done');
    await troupe.finished('audit');
    expect(target(troupe, 'subagent-report')).toEqual([{ list: 'next-step', quiet: false }]);
    expect(target(troupe, 'subagent-settled')).toEqual([{ list: 'next-turn', quiet: false }]);
    expect(troupe.open).toEqual([]);
    void end();
    (await troupe.next('main')).reply('both');
    await troupe.agent.whenIdle();
    expect(recorded(troupe.agent.events())).toEqual(['user', 'subagent-report', 'subagent-settled']);
    expect(troupe.agent.events().filter((event) => event.type === 'turn/start')).toHaveLength(2);
  });

  it('SETTLE-2: with quiet the report waits for the settlement that wakes the parent, and stands before it', async () => {
    const { troupe, child } = await parked({ settings: { reportDelivery: 'quiet' } });
    child.reply({ calls: [troupe.call('report', { text: 'all of it' })] });
    const second = await troupe.next('task audit');
    await settle();
    expect(troupe.agent.status).toBe('idle');
    expect(target(troupe, 'subagent-report')).toEqual([{ list: 'next-step', quiet: true }]);
    second.reply('done');
    (await troupe.next('main')).reply('both');
    await troupe.agent.whenIdle();
    expect(recorded(troupe.agent.events())).toEqual(['user', 'subagent-report', 'subagent-settled']);
  });

  it('the parent cannot settle underneath a notice: it wakes before the child is let go', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { first } = await troupe.spawn(await troupe.next('main'), 'middle');
    const { first: leaf } = await troupe.spawn(first, 'leaf');
    (await troupe.next('task middle')).reply('waiting');
    await settle();
    leaf.reply('found');
    const woken = await troupe.next('task middle');
    expect(troupe.endings('middle')).toEqual([]);
    woken.reply('with it');
    await troupe.finished('middle');
    expect(received(troupe.agent.events())[0]?.content.at(-1)?.text).toBe('with it');
  });

  it('three levels deep, each notice goes one edge up', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { id: a, first } = await troupe.spawn(await troupe.next('main'), 'a');
    const { id: b, first: second } = await troupe.spawn(first, 'b');
    const { id: c, first: third } = await troupe.spawn(second, 'c');
    third.reply({ calls: [troupe.call('report', { text: 'deep' })] });
    (await troupe.next('task c')).reply('c done');
    await troupe.finished('c');
    for (const [task, child] of [
      ['task b', 'b'],
      ['task a', 'a'],
    ] as const) {
      const waiting = await troupe.next(task);
      waiting.reply(`${child} done`);
      if (child === 'b') {
        const claims = await troupe.next('task b');
        claims.reply('b done');
      } else {
        const claims = await troupe.next('task a');
        claims.reply('a done');
      }
      await troupe.finished(child);
    }
    const senders = (label: string) => received(troupe.eventsOf(label)).map(({ source }) => source);
    expect(senders('b').map(({ kind }) => kind)).toEqual(['subagent-report', 'subagent-settled']);
    expect(senders('b')).toContainEqual({ kind: 'subagent-settled', senderSessionId: c });
    expect(senders('a')).toEqual([{ kind: 'subagent-settled', senderSessionId: b }]);
    expect(received(troupe.agent.events()).map(({ source }) => source)).toEqual([
      { kind: 'subagent-settled', senderSessionId: a },
    ]);
  });

  it('several children that settle while the parent works share one step, in the order of their end', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { first: one } = await troupe.spawn(await troupe.next('main'), 'one');
    const { first: two } = await troupe.spawn(await troupe.next('main'), 'two');
    const root = await troupe.next('main');
    two.reply('second to start, first to end');
    await troupe.finished('two');
    one.reply('last');
    await troupe.finished('one');
    root.reply('meanwhile');
    const told = await troupe.next('main');
    const texts = told.request.history
      .slice(-2)
      .map((entry) => (entry.role === 'user' ? textOf(entry.message) : ''));
    expect(texts[0]).toContain('(two)');
    expect(texts[1]).toContain('(one)');
  });
});

describe('reports', () => {
  it('REPORT-5: a report wakes a parked parent, once', async () => {
    const { troupe, child } = await parked();
    child.reply({ calls: [troupe.call('report', { text: 'halfway' })] });
    const root = await troupe.next('main');
    const message = root.request.history.at(-1);
    expect(message).toMatchObject({ message: { source: { kind: 'subagent-report' } } });
    expect(message?.role === 'user' ? message.message.content.map(({ text }) => text) : []).toEqual([
      `Report from agent ${troupe.idOf('audit')} (audit):`,
      'halfway',
    ]);
    root.reply('noted');
    await troupe.agent.whenIdle();
    expect(troupe.agent.events().filter((event) => event.type === 'turn/start')).toHaveLength(2);
  });

  it('REPORT-6: reports to a running parent share its nearest step, in the order accepted; none ends the turn of its child', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { first } = await troupe.spawn(await troupe.next('main'), 'audit');
    const root = await troupe.next('main');
    first.reply({ calls: ['one', 'two', 'three'].map((text) => troupe.call('report', { text })) });
    const still = await troupe.next('task audit');
    root.reply('meanwhile');
    const told = await troupe.next('main');
    const texts = told.request.history
      .slice(-3)
      .map((entry) => (entry.role === 'user' ? entry.message.content[1]?.text : ''));
    expect(texts).toEqual(['one', 'two', 'three']);
    expect(troupe.eventsOf('audit').some((event) => event.type === 'turn/end')).toBe(false);
    still.reply('REPORT-8: it may end now');
  });

  it('REPORT-6: reports that nobody has read when the turn ends stay together and open one turn themselves', async () => {
    const flushes: (() => void)[] = [];
    let holding = false;
    const troupe = new Troupe();
    troupe.session.log.store.flush = () =>
      holding ? new Promise((resolve) => flushes.push(resolve)) : Promise.resolve();
    troupe.prompt('main');
    const { first } = await troupe.spawn(await troupe.next('main'), 'audit');
    holding = true;
    (await troupe.next('main')).reply('done');
    await settle();
    first.reply({ calls: ['one', 'two'].map((text) => troupe.call('report', { text })) });
    await troupe.next('task audit');
    holding = false;
    for (const release of flushes) release();
    (await troupe.next('main')).reply('both read');
    await troupe.agent.whenIdle();
    expect(recorded(troupe.agent.events())).toEqual(['user', 'subagent-report', 'subagent-report']);
    expect(troupe.agent.events().filter((event) => event.type === 'turn/start')).toHaveLength(2);
  });

  it('REPORT-7: quiet wakes nothing, and joins the next request before its prompt', async () => {
    const { troupe, child } = await parked({ settings: { reportDelivery: 'quiet' } });
    child.reply({ calls: [troupe.call('report', { text: 'halfway' })] });
    await troupe.next('task audit');
    await settle();
    expect(troupe.agent.status).toBe('idle');
    troupe.prompt('next');
    const root = await troupe.next('main');
    expect(root.request.history.slice(-2)).toMatchObject([
      { message: { source: { kind: 'subagent-report' } } },
      { message: { source: { kind: 'user' } } },
    ]);
  });

  it('REPORT-10: with the parent gone the tool returns an error and the child goes on', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { first } = await troupe.spawn(await troupe.next('main'), 'audit');
    await troupe.next('main');
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    troupe.session.log.store.flush = () => held;
    const disposal = troupe.agent.dispose();
    first.reply({ calls: [troupe.call('report', { text: 'late' })] });
    const goesOn = await troupe.next('task audit');
    expect(result(goesOn)).toContain('The report was not delivered');
    expect(troupe.eventsOf('audit').find((event) => event.type === 'tool/result')).toMatchObject({
      data: { isError: true, code: 'PARENT_GONE' },
    });
    release();
    await disposal;
    expect(received(troupe.agent.events(), 'subagent-report')).toEqual([]);
    expect(troupe.endings('audit')).toEqual(['torn-down']);
  });

  it('REPORT-8: a child that never reports settles all the same, and its answer never becomes a report', async () => {
    const { troupe, child } = await parked();
    child.reply('the answer');
    await troupe.next('main');
    expect(received(troupe.agent.events(), 'subagent-report')).toEqual([]);
    expect(received(troupe.agent.events(), 'subagent-settled')).toHaveLength(1);
  });
});

describe('a process that dies', () => {
  /** Nothing of the first life is disposed of: its locks are let go as a death would do it. */
  async function twoLives() {
    const dir = await mkdtemp(path.join(tmpdir(), 'turnpin-subagent-'));
    const keep = (store: SessionStore): SessionStore => store;
    const open: { close(): void }[] = [];
    const watched = () => {
      const sessions = diskChildSessions(dir, keep);
      return {
        ...sessions,
        create: (facts: Parameters<typeof sessions.create>[0]) => tracked(sessions.create(facts)),
        open: (id: Parameters<typeof sessions.open>[0]) => tracked(sessions.open(id)),
      };
    };
    const tracked = <T extends { close(): void }>(session: T): T => (open.push(session), session);
    const session = tracked(createSession({ dir }));
    const first = new Troupe({ session, sessions: watched() });
    const die = (): Troupe => {
      for (const each of open.splice(0)) each.close();
      return new Troupe({ session: tracked(openSession({ dir, id: session.id })), sessions: watched() });
    };
    return { dir, first, die };
  }

  it('SETTLE-5: the resumed parent is told once that its child was interrupted, and is not woken', async () => {
    const { dir, first, die } = await twoLives();
    first.prompt('main');
    const { id } = await first.spawn(await first.next('main'), 'audit');
    await first.next('main');
    const second = die();
    expect(second.agent.status).toBe('idle');
    const [notice, ...others] = received(second.agent.events());
    expect(others).toEqual([]);
    expect(notice?.content[0]?.text).toContain(`agent ${id} (audit) was interrupted`);
    expect(notice?.source).toEqual({ kind: 'subagent-settled', senderSessionId: id });
    expect(second.children.list('children')).toMatchObject([{ id, label: 'audit', state: 'ready' }]);
    await settle();
    const third = die();
    expect(received(third.agent.events())).toHaveLength(1);
    third.prompt('go on');
    const asked = await third.next('main');
    expect(asked.request.history.slice(-2)).toMatchObject([
      { message: { source: { kind: 'subagent-settled' } } },
      { message: { source: { kind: 'user' } } },
    ]);
    asked.reply({ calls: [third.call('send_message', { agent: id, message: 'go on' })] });
    const child = await third.next('task audit');
    expect(child.request.tools.map(({ name }) => name)).toContain('report');
    const ends = third.sessions
      .read(id)
      ?.events.flatMap((event) => (event.type === 'turn/end' ? [event.data.reason.kind] : []));
    expect(ends).toEqual(['interrupted']);
    child.reply('recovered');
    await third.finished('audit');
    await third.agent.dispose();
    expect(readdirSync(dir).filter((name) => name.includes('.lock'))).toEqual([]);
  });

  it('SETTLE-5: a child that has settled is not announced again; one that was resumed and died is', async () => {
    const { first, die } = await twoLives();
    first.prompt('main');
    const { id, first: child } = await first.spawn(await first.next('main'), 'audit');
    child.reply('answer');
    await first.finished('audit');
    const root = await first.next('main');
    const second = die();
    expect(received(second.agent.events())).toHaveLength(1);
    void root;
    second.prompt('again');
    (await second.next('main')).reply({
      calls: [second.call('send_message', { agent: id, message: 'go on' })],
    });
    await second.next('task audit');
    await second.next('main');
    const third = die();
    expect(received(third.agent.events())).toHaveLength(2);
    expect(received(third.agent.events()).at(-1)?.content[0]?.text).toContain('was interrupted');
  });

  it('SETTLE-5: a child whose id nobody received is not announced', async () => {
    const { first, die } = await twoLives();
    first.children.start('unannounced', 'task unannounced');
    await first.next('task unannounced');
    const second = die();
    expect(received(second.agent.events())).toEqual([]);
    expect(second.children.list('children')).toEqual([]);
  });
});
