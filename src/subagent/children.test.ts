import { describe, expect, it } from 'vitest';
import type { SessionId } from '../session/events.ts';
import { MOST_AT_ONCE } from '../tools/scheduler.ts';
import { Troupe, opening, received, recorded, result, settle } from './fixtures/troupe.ts';
import { reportSection } from './report.ts';

describe('continuable children', () => {
  it('CHILD-2: the call returns the id at once; the child has a session of its own, whose first event describes it', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { id, first } = await troupe.spawn(await troupe.next('main'), 'audit');
    const root = await troupe.next('main');
    expect(result(root)).toContain(`Started agent ${id} (audit)`);
    expect(opening(first.request)).toBe('task audit');
    const stored = troupe.sessions.read(id);
    expect(stored?.header).toMatchObject({
      parentSession: troupe.session.id,
      origin: 'subagent',
      delegationDepth: 1,
      cwd: '/',
    });
    expect(stored?.events[0]).toMatchObject({
      type: 'subagent/descriptor',
      data: { mode: 'continuable', label: 'audit' },
    });
  });

  it('a label is cut between characters', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const label = `${'x'.repeat(99)}🛖 and more`;
    (await troupe.next('main')).reply({
      calls: [troupe.call('subagent', { description: label, prompt: 'task long' })],
    });
    await troupe.next('task long');
    expect(result(await troupe.next('main'))).toContain(`(${'x'.repeat(99)}).`);
  });

  it('CHILD-2: nothing of its transcript reaches the parent except the notice', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { first } = await troupe.spawn(await troupe.next('main'), 'audit');
    first.reply({ text: 'secret thought', calls: [troupe.call('list_agents', {})] });
    (await troupe.next('task audit')).reply('all good');
    (await troupe.next('main')).reply('waiting');
    const told = await troupe.next('main');
    const seen = JSON.stringify(told.request.history);
    expect(seen).not.toContain('secret thought');
    expect(seen).toContain('all good');
    told.reply('done');
    await troupe.agent.whenIdle();
    expect(received(troupe.agent.events())).toHaveLength(1);
  });

  it('REPORT-3: parent, sibling and isolated child see neither of the two registrations; every continuable child sees both', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { first } = await troupe.spawn(await troupe.next('main'), 'audit');
    const root = await troupe.next('main');
    root.reply({
      calls: [
        troupe.call('subagent', { description: 'solo', prompt: 'task solo', run_in_background: false }),
      ],
    });
    const solo = await troupe.next('task solo');
    const names = ({ tools }: { readonly tools: readonly { readonly name: string }[] }) =>
      tools.map(({ name }) => name);
    expect(names(first.request)).toContain('report');
    expect(first.request.systemPrompt.endsWith(reportSection().text)).toBe(true);
    for (const { request } of [root, solo]) {
      expect(names(request)).not.toContain('report');
      expect(request.systemPrompt).not.toContain(reportSection().text);
    }
    expect(solo.request.tools).toEqual(root.request.tools);
    expect(solo.request.systemPrompt).toBe(root.request.systemPrompt);
    first.reply({ calls: [troupe.call('subagent', { description: 'below', prompt: 'task below' })] });
    const below = await troupe.next('task below');
    expect(names(below.request).filter((name) => name === 'report')).toHaveLength(1);
  });

  it('REPORT-10: a filter that allows no tool leaves report alone, and its guidance', async () => {
    const troupe = new Troupe({ settings: { child: { tools: [], persona: 'I am a clerk.' } } });
    troupe.prompt('main');
    const { id, first } = await troupe.spawn(await troupe.next('main'), 'audit');
    expect(first.request.tools.map(({ name }) => name)).toEqual(['report']);
    expect(first.request.systemPrompt).toBe(`I am a clerk.\n\n${reportSection().text}`);
    expect(troupe.sessions.read(id)?.events[0]).toMatchObject({
      data: { persona: 'I am a clerk.', tools: [] },
    });
  });

  it('CHILD-3: a message to a child is a turn of its own in the same conversation', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { id, first } = await troupe.spawn(await troupe.next('main'), 'audit');
    (await troupe.next('main')).reply({
      calls: [troupe.call('send_message', { agent: id, message: 'also this' })],
    });
    expect(result(await troupe.next('main'))).toMatch(/^Queued message \S+\. Agent \S+ takes it up/);
    first.reply('first answer');
    const second = await troupe.next('task audit');
    expect(second.request.history.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    second.reply('second answer');
    await troupe.finished('audit');
    expect(recorded(troupe.eventsOf('audit'))).toEqual(['coordinator', 'coordinator']);
    expect(troupe.endings('audit')).toEqual(['completed']);
  });

  it('CHILD-3: a message to a settled child resumes it, and it settles once more, with new words alone', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { id, first } = await troupe.spawn(await troupe.next('main'), 'audit');
    first.reply('first answer');
    await troupe.finished('audit');
    (await troupe.next('main')).reply({
      calls: [troupe.call('send_message', { agent: id, message: 'go on' })],
    });
    const again = await troupe.next('task audit');
    expect(again.request.history.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(again.request.tools.map(({ name }) => name)).toContain('report');
    again.reply('');
    await troupe.finished('audit', 2);
    const [one, two] = received(troupe.agent.events(), 'subagent-settled');
    expect(one?.content.at(-1)?.text).toBe('first answer');
    expect(two?.content).toHaveLength(1);
    expect(two?.content[0]?.text).toContain('It left no closing message.');
  });

  it('CHILD-4: only the exact parent reaches a child; anyone else is refused, and the child is untouched', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { id, first } = await troupe.spawn(await troupe.next('main'), 'audit');
    const { id: other, first: sibling } = await troupe.spawn(await troupe.next('main'), 'other');
    first.reply({ calls: [troupe.call('subagent', { description: 'below', prompt: 'task below' })] });
    await troupe.next('task below');
    const below = troupe.idOf('below');
    const before = troupe.eventsOf('below').length;
    const refusal = async (agent: string, tool = 'send_message'): Promise<unknown> => {
      const args = tool === 'send_message' ? { agent, message: 'hey' } : { agent };
      (await troupe.next('main')).reply({ calls: [troupe.call(tool, args)] });
      const attempt = await troupe.next('main');
      const last = troupe.agent.events().findLast((event) => event.type === 'tool/result');
      void Promise.resolve().then(() => attempt.reply('next'));
      await troupe.agent.whenIdle();
      troupe.prompt('again');
      return last?.type === 'tool/result' ? last.data.code : null;
    };
    expect(await refusal(below)).toBe('NOT_YOUR_CHILD');
    expect(await refusal(below, 'interrupt_agent')).toBe('NOT_YOUR_CHILD');
    expect(await refusal(troupe.session.id)).toBe('UNKNOWN_AGENT');
    expect(await refusal('nobody')).toBe('UNKNOWN_AGENT');
    expect(await refusal('../../etc/passwd')).toBe('UNKNOWN_AGENT');
    sibling.reply({ calls: [troupe.call('send_message', { agent: id, message: 'psst' })] });
    expect(result(await troupe.next('task other'))).toContain('is not a child of yours');
    expect(troupe.eventsOf('below')).toHaveLength(before);
    expect(other).not.toBe(id);
  });

  it('CHILD-4: a child that ran in the foreground cannot be messaged', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    (await troupe.next('main')).reply({
      calls: [
        troupe.call('subagent', { description: 'solo', prompt: 'task solo', run_in_background: false }),
      ],
    });
    (await troupe.next('task solo')).reply('done');
    await troupe.finished('solo');
    (await troupe.next('main')).reply({
      calls: [troupe.call('send_message', { agent: troupe.idOf('solo'), message: 'more' })],
    });
    expect(result(await troupe.next('main'))).toContain('ran in the foreground');
  });

  it('CHILD-5: a message that races the settlement runs as a turn of the resumed child', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { id, first } = await troupe.spawn(await troupe.next('main'), 'audit');
    // Sent at the very moment at which the notice is out and the child is not yet let go.
    const sent: Promise<unknown>[] = [];
    troupe.agent.subscribe((published) => {
      if (published.kind !== 'live' || published.live.type !== 'agent/queued' || sent.length > 0) return;
      if (published.live.message.source.kind !== 'subagent-settled') return;
      sent.push(troupe.children.send(id, 'one more'));
    });
    first.reply('answer');
    const again = await troupe.next('task audit');
    expect(again.request.history.at(-1)).toMatchObject({ message: { content: [{ text: 'one more' }] } });
    expect(await sent[0]).toMatchObject({ resumed: true });
    again.reply('more');
    await troupe.finished('audit', 2);
    expect(troupe.endings('audit')).toEqual(['completed', 'completed']);
    expect(received(troupe.agent.events(), 'subagent-settled')).toHaveLength(2);
  });

  it('CHILD-6: an interrupt ends the current turn by its parent and keeps queue and descendants', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { id, first } = await troupe.spawn(await troupe.next('main'), 'audit');
    const { first: below } = await troupe.spawn(first, 'below');
    await troupe.next('task audit');
    await troupe.children.send(id, 'queued');
    (await troupe.next('main')).reply({ calls: [troupe.call('interrupt_agent', { agent: id })] });
    expect(result(await troupe.next('main'))).toContain('was interrupted');
    const second = await troupe.next('task audit');
    expect(second.request.history.at(-1)).toMatchObject({ message: { content: [{ text: 'queued' }] } });
    expect(troupe.eventsOf('audit').find((event) => event.type === 'turn/end')).toMatchObject({
      data: { reason: { kind: 'aborted', cause: 'parent' } },
    });
    expect(below.signal.aborted).toBe(false);
  });

  it('CHILD-6: on a settled child it is an accepted no-op', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { id, first } = await troupe.spawn(await troupe.next('main'), 'audit');
    first.reply('answer');
    await troupe.finished('audit');
    const before = troupe.eventsOf('audit').length;
    (await troupe.next('main')).reply({ calls: [troupe.call('interrupt_agent', { agent: id })] });
    await troupe.next('main');
    expect(troupe.agent.events().findLast((event) => event.type === 'tool/result')).toMatchObject({
      data: { isError: false },
    });
    expect(troupe.eventsOf('audit')).toHaveLength(before);
  });

  it('an agent at the depth limit is offered the tool and refused', async () => {
    const troupe = new Troupe({ settings: { depthLimit: 1 } });
    troupe.prompt('main');
    const root = await troupe.next('main');
    const { first } = await troupe.spawn(root, 'audit');
    expect(first.request.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['subagent', 'report']),
    );
    first.reply({ calls: [troupe.call('subagent', { description: 'deep', prompt: 'task deep' })] });
    await troupe.next('task audit');
    expect(troupe.eventsOf('audit').find((event) => event.type === 'tool/result')).toMatchObject({
      data: { isError: true, code: 'DEPTH_LIMIT' },
    });
  });

  it('lists children as running, idle while their own work, and ready once settled; descendants too', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { id, first } = await troupe.spawn(await troupe.next('main'), 'audit');
    const states = (scope: 'children' | 'descendants') =>
      troupe.children.list(scope).map(({ label, state }) => [label, state]);
    expect(states('children')).toEqual([['audit', 'running']]);
    const { first: below } = await troupe.spawn(first, 'below');
    (await troupe.next('task audit')).reply('waiting');
    await settle();
    expect(states('descendants')).toEqual([
      ['audit', 'idle'],
      ['below', 'running'],
    ]);
    below.reply('found');
    (await troupe.next('task audit')).reply('done');
    await troupe.finished('audit');
    expect(states('descendants')).toEqual([
      ['audit', 'ready'],
      ['below', 'ready'],
    ]);
    expect(troupe.children.list('children')).toEqual([
      { id, label: 'audit', state: 'ready', parent: troupe.session.id },
    ]);
    expect(troupe.endings('audit')).toEqual(['completed']);
  });

  it('disposal ends children first, deepest first, and the log of the parent keeps their notices', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { first } = await troupe.spawn(await troupe.next('main'), 'audit');
    await troupe.spawn(first, 'below');
    first.say('half');
    await troupe.agent.dispose();
    const finished = troupe.news.flatMap((each) => (each.kind === 'finished' ? [each.child.label] : []));
    expect(finished).toEqual(['below', 'audit']);
    expect(troupe.endings('audit')).toEqual(['torn-down']);
    const [notice] = received(troupe.agent.events(), 'subagent-settled');
    expect(notice?.content[0]?.text).toContain('was stopped because this agent was shut down');
    expect(received(troupe.eventsOf('audit'), 'subagent-settled')).toHaveLength(1);
    expect(troupe.eventsOf('audit').at(-1)).toMatchObject({
      type: 'agent/inbox/spliced',
      data: { quiet: true },
    });
  });

  it('a child that cannot be made is an error that the model reads, and leaves nothing behind', async () => {
    const troupe = new Troupe({
      install: () => {
        throw new Error('no way back');
      },
    });
    troupe.prompt('main');
    (await troupe.next('main')).reply({
      calls: [troupe.call('subagent', { description: 'audit', prompt: 'task audit' })],
    });
    await troupe.next('main');
    expect(troupe.agent.events().findLast((event) => event.type === 'tool/result')).toMatchObject({
      data: { isError: true, code: 'CHILD_NOT_STARTED', content: 'no way back' },
    });
    expect(troupe.children.live).toBe(0);
    expect(troupe.endings('audit')).toEqual(['error']);
  });

  it('without continuable children only subagent is offered, and it runs in the foreground', async () => {
    const troupe = new Troupe({ settings: { continuable: false } });
    troupe.prompt('main');
    const root = await troupe.next('main');
    expect(root.request.tools.map(({ name }) => name)).toEqual(['subagent']);
    root.reply({ calls: [troupe.call('subagent', { description: 'solo', prompt: 'task solo' })] });
    (await troupe.next('task solo')).reply('the answer');
    expect(result(await troupe.next('main'))).toBe('the answer\n[stop reason: completed]');
  });
});

describe('isolated runs', () => {
  const solo = (troupe: Troupe, task: string) =>
    troupe.call('subagent', { description: task, prompt: `task ${task}`, run_in_background: false });

  it.each([
    [
      'completed',
      (troupe: Troupe) => reply(troupe, { text: 'found' }),
      'found\n[stop reason: completed]',
      undefined,
    ],
    [
      'max-tokens',
      (troupe: Troupe) => reply(troupe, { text: 'half', finish: 'length' as const }),
      'half\n[stop reason: max-tokens]',
      'SUBAGENT_MAX_TOKENS',
    ],
    [
      'refusal',
      (troupe: Troupe) => reply(troupe, { finish: 'content-filter' as const }),
      'The agent left no text.\n[stop reason: refusal; The provider stopped the answer by its content filter.]',
      'SUBAGENT_REFUSAL',
    ],
    [
      'error',
      async (troupe: Troupe) => (await troupe.next('task solo')).fail({ message: 'No route.' }),
      'The agent left no text.\n[stop reason: error; No route.]',
      'SUBAGENT_ERROR',
    ],
  ])('CHILD-1: the caller gets the last text and the stop reason: %s', async (_, act, content, code) => {
    const troupe = new Troupe();
    troupe.prompt('main');
    (await troupe.next('main')).reply({ calls: [solo(troupe, 'solo')] });
    await act(troupe);
    const root = await troupe.next('main');
    expect(result(root)).toBe(content);
    const answered = troupe.agent.events().findLast((event) => event.type === 'tool/result');
    expect(answered?.type === 'tool/result' ? answered.data.code : null).toBe(code);
    expect(troupe.children.live).toBe(0);
    expect(received(troupe.agent.events())).toEqual([]);
  });

  it('CHILD-1: an empty last message does not hide the earlier text', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    (await troupe.next('main')).reply({ calls: [solo(troupe, 'solo')] });
    (await troupe.next('task solo')).reply({ text: 'found', calls: [troupe.call('list_agents', {})] });
    (await troupe.next('task solo')).reply('');
    expect(result(await troupe.next('main'))).toBe('found\n[stop reason: completed]');
  });

  it('CHILD-1: several run side by side, and their results stand in the order of the calls', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    (await troupe.next('main')).reply({ calls: [solo(troupe, 'one'), solo(troupe, 'two')] });
    const [one, two] = await Promise.all([troupe.next('task one'), troupe.next('task two')]);
    two.reply('second');
    one.reply('first');
    const root = await troupe.next('main');
    const results = root.request.history.flatMap((entry) => (entry.role === 'tool' ? [entry.content] : []));
    expect(results).toEqual(['first\n[stop reason: completed]', 'second\n[stop reason: completed]']);
  });

  it('as many as may run at once are no reason for a warning of a leak', async () => {
    const warnings: string[] = [];
    const onWarning = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', onWarning);
    const troupe = new Troupe();
    troupe.prompt('main');
    const tasks = Array.from({ length: MOST_AT_ONCE }, (_, index) => `task-${String(index)}.`);
    (await troupe.next('main')).reply({ calls: tasks.map((task) => solo(troupe, task)) });
    for (const child of await Promise.all(tasks.map((task) => troupe.next(task)))) child.reply('done');
    await troupe.next('main');
    await settle();
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('CHILD-1: a cancel of the caller reaches it through the signal; its turn ends as aborted by its parent', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    (await troupe.next('main')).reply({ calls: [solo(troupe, 'solo')] });
    const child = await troupe.next('task solo');
    child.say('half');
    troupe.agent.cancel();
    await troupe.agent.whenIdle();
    expect(troupe.endings('solo')).toEqual(['aborted']);
    expect(troupe.eventsOf('solo').findLast((event) => event.type === 'turn/end')).toMatchObject({
      data: { reason: { kind: 'aborted', cause: 'parent' } },
    });
    expect(troupe.agent.events().find((event) => event.type === 'tool/result')).toMatchObject({
      data: { code: 'ABORTED' },
    });
  });

  it('CHILD-1: the run lasts while its own children live, and what they bring is in its result', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    (await troupe.next('main')).reply({ calls: [solo(troupe, 'solo')] });
    const { first: below } = await troupe.spawn(await troupe.next('task solo'), 'below');
    (await troupe.next('task solo')).reply('waiting');
    await settle();
    below.reply('found');
    (await troupe.next('task solo')).reply('with what below found');
    expect(result(await troupe.next('main'))).toBe('with what below found\n[stop reason: completed]');
  });

  it('background children run on when their parent is cancelled', async () => {
    const troupe = new Troupe();
    troupe.prompt('main');
    const { first } = await troupe.spawn(await troupe.next('main'), 'audit');
    await troupe.next('main');
    troupe.agent.cancel();
    await troupe.agent.whenIdle();
    expect(first.signal.aborted).toBe(false);
    first.reply('answer');
    expect(opening((await troupe.next('main')).request)).toBe('main');
  });
});

async function reply(
  troupe: Troupe,
  answer: { readonly text?: string; readonly finish?: 'length' | 'content-filter' },
): Promise<void> {
  (await troupe.next('task solo')).reply(answer);
}

it('ids of agents are those of their sessions', async () => {
  const troupe = new Troupe();
  troupe.prompt('main');
  const { id } = await troupe.spawn(await troupe.next('main'), 'audit');
  expect(troupe.sessions.read(id as SessionId)?.header.id).toBe(id);
});

it('CHILD-1: a cancelled run ends although its own children have just given it more to do', async () => {
  const troupe = new Troupe();
  troupe.prompt('main');
  (await troupe.next('main')).reply({
    calls: [troupe.call('subagent', { description: 'solo', prompt: 'task solo', run_in_background: false })],
  });
  const { first: below } = await troupe.spawn(await troupe.next('task solo'), 'below');
  await troupe.next('task solo');
  troupe.agent.cancel();
  below.reply('found');
  await troupe.agent.whenIdle();
  expect(troupe.endings('solo')).toEqual(['aborted']);
  expect(troupe.open).toEqual([]);
});
