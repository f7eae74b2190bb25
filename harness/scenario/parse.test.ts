import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complaints, sample } from './fixtures/sample.ts';
import { parseScenario } from './parse.ts';

const SMALLEST = `title: One follow-up
covers: [SEND-1]
model:
  main:
    - text: Hello.
steps:
  - followup: Hi there
expect:
  requests: 1
`;

const EVERYTHING = `title: Every key there is
covers: [SEND-1, TURN-1]
category: base
agent: {persona: short, subagents: {reportDelivery: quiet}}
workspace: {notes/a.txt: "hello\\n"}
via: [inproc, sdk, acp]
model:
  main:
    - reasoning: Hm.
      text: Let me see.
      tools:
        - {name: bash, arguments: {command: ls}, id: call_1}
        - {name: subagent, arguments: '{"prompt": "explore the attic"'}
        - {name: list_agents}
      finish: length
      usage: {input: 10, output: 5, cached: 3}
      pieces: [Let me, " see."]
      hold: {name: first, after: Let me}
      bytes: {crlf: true, merge: true, keepAlive: true}
      sees: [what stands there, {role: system, text: You are short}]
      lacks: [what does not]
      adds: [plain user text, {tool: a result}, {user: context, source: plugin}]
      offers: [bash]
      withholds: [report]
    - fail: {status: 429, retryAfter: {date: +1s}, body: {error: slow down}}
    - fail: {status: 503, retryAfter: 0}
    - text: Half an ans
      fail: {kind: disconnect, at: piece 2}
    - text: Cut here
      fail: {kind: no-done}
    - fail: {kind: reset}
    - fail: {kind: hang}
    - text: never seen
      hold: second
      ends: cancelled
  attic:
    opens: explore the attic
    replies:
      - text: Dust.
  asides:
    title:
      when: {system: title, user: hi, model: m, tools: [], stream: false}
      replies:
        - text: A title
          hold: {name: third, before: headers}
steps:
  - {followup: Go., as: p1}
  - {followup: Elsewhere., in: s2}
  - steer: left
  - inject: context
  - cancel
  - {cancel: true, in: s2}
  - idle:
  - wait: {held: first}
  - wait: {request: main.2}
  - wait: {result: attic}
  - wait: {text: Let me}
  - wait: {event: turn/end}
  - wait: {event: {type: turn/end, reason: {kind: completed}}}
  - wait: {settled: attic}
  - wait: {answered: p1}
  - release: first
  - write: {b.txt: text}
  - checkpoint: fail
  - maintenance: begin
  - restart
  - kill
  - dispose
  - frame: {jsonrpc: "2.0"}
expect:
  turns:
    - {prompt: Go., source: user, end: aborted, cause: user, steps: 2}
    - {prompt: {is: explore the attic}, end: completed, lane: attic}
  requests: {main: 8, attic: 1}
  log: {main.loop: [turn/start, {type: turn/end, turn: 1}]}
  files: {notes/a.txt: {is: "hello\\n"}, b.txt: text, c.txt: null}
  cli: {stdout: out, stderr: {is: err}, exit: 1}
  acp: {answers: {p1: {stopReason: end_turn}}, updates: [{sessionUpdate: agent_message_chunk}]}
  sdk: {answers: {p1: {messageId: x}}}
  status: [running, idle]
pinsChildSystemPrompts: [1]
pinsChildToolSchemas: {1: subagents/report}
pinsWire: [acp]
rewrites: [main]
`;

describe('the log that a session is resumed from', () => {
  it.each(['not JSON', '{"type":"session"}', '{"id":"../x"}'])(
    'begins with a header that has an id: %s',
    (log) => {
      const text = `title: T\ncovers: [LOG-6]\nsession: |\n  ${log}\nsteps: [{followup: x}]\n`;
      const parsed = parseScenario({ text, file: 'scenarios/a.yaml', id: 'a' });
      expect(parsed).toMatchObject({ problems: [{ message: expect.stringContaining('a session log') }] });
    },
  );
});

describe('a scenario', () => {
  it('is complete: every default is filled in', () => {
    const scenario = sample(SMALLEST);
    expect(scenario).toMatchObject({
      id: 'turns/sample',
      category: 'base',
      agent: {},
      workspace: {},
      session: null,
      via: null,
      pinsChildSystemPrompts: [],
      pinsWire: [],
      rewrites: [],
      steps: [{ do: 'followup', text: 'Hi there', in: null, as: null, position: { line: 7, column: 5 } }],
      expect: {
        turns: null,
        requests: 1,
        log: null,
        refused: null,
        files: null,
        cli: null,
        acp: null,
        sdk: null,
        status: null,
      },
    });
    expect(scenario.model.conversations[0]?.replies[0]).toEqual({
      key: 'main.1',
      position: { line: 5, column: 7 },
      text: 'Hello.',
      reasoning: null,
      tools: [],
      finish: 'stop',
      usage: null,
      pieces: null,
      hold: null,
      ends: null,
      fail: null,
      bytes: { crlf: false, merge: false, keepAlive: false },
      sees: [],
      lacks: [],
      adds: null,
      offers: [],
      withholds: [],
    });
  });

  it('may use every key of the format at once', () => {
    const { model, steps, expect: expected, ...rest } = sample(EVERYTHING);
    const [main, attic] = model.conversations;
    expect(main?.replies.map(({ fail }) => fail)).toEqual([
      null,
      { kind: 'status', status: 429, retryAfter: { date: '+1s' }, body: { error: 'slow down' } },
      { kind: 'status', status: 503, retryAfter: 0, body: null },
      { kind: 'disconnect', at: { piece: 2 } },
      { kind: 'no-done', at: 'end' },
      { kind: 'reset', at: 'headers' },
      { kind: 'hang', at: 'connect' },
      null,
    ]);
    expect(main?.replies[0]).toMatchObject({
      finish: 'length',
      tools: [
        { name: 'bash', arguments: { command: 'ls' }, id: 'call_1' },
        { name: 'subagent', arguments: '{"prompt": "explore the attic"', id: null },
        { name: 'list_agents', arguments: {}, id: null },
      ],
      hold: { name: 'first', after: 'Let me', before: null },
      sees: [
        { where: 'messages', text: 'what stands there' },
        { where: 'system', text: 'You are short' },
      ],
      adds: [
        { user: 'plain user text', source: null },
        { tool: 'a result' },
        { user: 'context', source: 'plugin' },
      ],
    });
    expect(main?.replies[7]?.hold).toEqual({ name: 'second', after: null, before: null });
    expect(attic).toMatchObject({ name: 'attic', opens: 'explore the attic', replies: [{ key: 'attic.1' }] });
    expect(model.asides).toMatchObject([
      {
        name: 'title',
        when: { system: 'title', tools: [], stream: false },
        replies: [{ key: 'aside.title.1' }],
      },
    ]);
    expect(steps.map((step) => step.do).join(' ')).toBe(
      'followup followup steer inject cancel cancel idle wait wait wait wait wait wait wait wait release write checkpoint maintenance restart kill dispose frame',
    );
    expect(steps.flatMap((step) => (step.do === 'wait' ? [step.wait] : []))).toEqual([
      { for: 'held', name: 'first' },
      { for: 'request', conversation: 'main', number: 2 },
      { for: 'result', conversation: 'attic' },
      { for: 'text', text: 'Let me' },
      { for: 'event', type: 'turn/end', match: {} },
      { for: 'event', type: 'turn/end', match: { reason: { kind: 'completed' } } },
      { for: 'settled', conversation: 'attic' },
      { for: 'answered', label: 'p1' },
    ]);
    expect(expected).toMatchObject({
      turns: [
        {
          prompt: { contains: 'Go.' },
          source: 'user',
          end: 'aborted',
          cause: 'user',
          steps: 2,
          lane: 'main',
        },
        { prompt: { is: 'explore the attic' }, lane: 'attic' },
      ],
      files: { 'b.txt': { contains: 'text' }, 'c.txt': null },
      cli: { stdout: { contains: 'out' }, stderr: { is: 'err' }, exit: 1 },
    });
    expect(rest).toMatchObject({
      via: ['inproc', 'sdk', 'acp'],
      pinsChildSystemPrompts: [{ child: 1, owner: null }],
      pinsChildToolSchemas: [{ child: 1, owner: 'subagents/report' }],
      pinsWire: ['acp'],
      rewrites: ['main'],
    });
  });

  it('finishes with its tool calls where it has any', () => {
    const text = SMALLEST.replace('- text: Hello.', '- tools: [{name: bash}]');
    expect(sample(text).model.conversations[0]?.replies[0]?.finish).toBe('tool_calls');
  });

  it('says with its pieces alone what its text is', () => {
    const text = SMALLEST.replace('text: Hello.', 'pieces: [Hel, lo.]');
    expect(sample(text).model.conversations[0]?.replies[0]).toMatchObject({
      text: 'Hello.',
      pieces: ['Hel', 'lo.'],
    });
  });

  it('keeps arguments that are written as text just as they are', () => {
    const raw = '{"a": 1, "a": 2';
    const text = SMALLEST.replace('text: Hello.', `tools: [{name: bash, arguments: '${raw}'}]`);
    expect(sample(text).model.conversations[0]?.replies[0]?.tools[0]?.arguments).toBe(raw);
  });

  it('has a main conversation also where nothing is asked of the model', () => {
    expect(sample('title: t\ncovers: []\nsteps: [idle]\n').model.conversations).toEqual([
      { name: 'main', opens: null, replies: [] },
    ]);
  });

  it('is frozen all the way down', () => {
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(sample(EVERYTHING))).toBe(true);
  });

  it('knows where each of its parts stands, replies by their keys', () => {
    const scenario = sample(SMALLEST);
    expect(scenario.positionOf('expect.requests').line).toBe(9);
    expect(scenario.positionOf('main.1')).toEqual({ line: 5, column: 7 });
    expect(scenario.positionOf('model.main.0.text').line).toBe(5);
    expect(scenario.positionOf('nowhere.at.all')).toEqual({ line: 1, column: 1 });
  });

  it('has one digest, whatever the line ends of the checkout', () => {
    expect(sample(SMALLEST.replaceAll('\n', '\r\n')).digest).toBe(sample(SMALLEST).digest);
    expect(sample(SMALLEST.replace('Hello', 'Hallo')).digest).not.toBe(sample(SMALLEST).digest);
  });
});

describe('what is wrong is said with its place and the nearest word', () => {
  const placeOf = (text: string, word: string): string => {
    const before = text.slice(0, text.indexOf(word)).split('\n');
    return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  };

  it.each([
    ['at the top', 'expect:\n', 'expct:\n', 'expct', 'expect'],
    ['by its capital letter', 'expect:\n', 'Expect:\n', 'Expect', 'expect'],
    ['in a reply', '- text: Half', '- txet: Half', 'txet', 'text'],
    ['in a call', '{name: list_agents}', '{nmae: list_agents}', 'nmae', 'name'],
    ['in usage', 'cached: 3', 'cahced: 3', 'cahced', 'cached'],
    ['in a hold', 'after: Let me}', 'aftr: Let me}', 'aftr', 'after'],
    ['in bytes', 'merge: true', 'merg: true', 'merg', 'merge'],
    ['in a fault', 'retryAfter: 0', 'retryafter: 0', 'retryafter', 'retryAfter'],
    ['in a fault of a kind', 'at: piece 2', 'att: piece 2', 'att: piece', 'at'],
    ['in an addition', 'source: plugin', 'sorce: plugin', 'sorce', 'source'],
    ['in a conversation', 'opens: explore', 'open: explore', 'open: explore', 'opens'],
    ['in an aside', 'when: {system', 'wenn: {system', 'wenn', 'when'],
    ['in the when of an aside', 'stream: false', 'steam: false', 'steam', 'stream'],
    ['in a step', '- steer: left', '- stear: left', 'stear', 'steer'],
    ['in a wait', 'wait: {held: first}', 'wait: {hold: first}', 'hold: first}', 'held'],
    ['in a turn', 'lane: attic', 'lanes: attic', 'lanes', 'lane'],
    ['in a driver’s part', 'stderr:', 'sterr:', 'sterr', 'stderr'],
    ['in a text match', '{is: err}', '{iss: err}', 'iss:', 'is'],
  ])('a misspelt key %s', (_where, change, into, at, right) => {
    const text = EVERYTHING.replace(change, into);
    const [wrong = ''] = at.split(':');
    expect(complaints(text)).toContain(
      `${placeOf(text, at)} unknown key "${wrong}"; did you mean "${right}"?`,
    );
  });

  it.each([
    [
      'a key at the wrong depth',
      SMALLEST.replace('expect:\n  requests: 1', 'requests: 1'),
      '8:1 unknown key "requests"; "requests" belongs under "expect"',
    ],
    ['a missing key', SMALLEST.replace('title: One follow-up\n', ''), '1:1 the key "title" is missing'],
    [
      'a text with a colon in a list',
      SMALLEST.replace('text: Hello.', 'text: Hello.\n      sees:\n        - Error: not found'),
      '7:11 expected a text, or {role: system, text: …}, found a map with the key "Error"; a colon and a space make a map of it, so put the whole text in quotes: "Error: …"',
    ],
    [
      'a text with a colon',
      SMALLEST.replace('followup: Hi there', 'followup:\n      Error: x'),
      '8:7 expected a text, found a map with the key "Error"; a colon and a space make a map of it, so put the whole text in quotes: "Error: …"',
    ],
    [
      'a number for a text',
      SMALLEST.replace('Hi there', '42'),
      '7:15 expected a text, found the number 42; put it in quotes',
    ],
    [
      'a truth value for a text',
      SMALLEST.replace('Hi there', 'true'),
      '7:15 expected a text, found true; put it in quotes',
    ],
    [
      'a text that became a comment',
      SMALLEST.replace('Hi there', '# Hi'),
      '7:15 expected a text, found nothing; a text that begins with # needs quotes, and an empty one is written ""',
    ],
    [
      'a word that is not in the list',
      SMALLEST.replace('requests: 1', 'turns: [{prompt: Hi, end: complete}]'),
      '9:29 "complete" is not allowed here; did you mean "completed"?',
    ],
    ['an unknown driver', `${SMALLEST}via: [acb]\n`, '10:7 "acb" is not allowed here; did you mean "acp"?'],
    [
      'a misspelt bare step',
      SMALLEST.replace('- followup: Hi there', '- idel'),
      '7:5 "idel" is not allowed here; did you mean "idle"?',
    ],
    [
      'a fault at a place that is none',
      SMALLEST.replace('text: Hello.', 'fail: {kind: reset, at: pice 2}'),
      '5:31 expected connect, headers, end or "piece n", such as piece 2',
    ],
    [
      'a step of two things',
      SMALLEST.replace('followup: Hi there', '{followup: Hi, steer: ho}'),
      '7:5 one step does one thing, this one has followup and steer; make a list item of each',
    ],
    [
      'a step of nothing',
      SMALLEST.replace('followup: Hi there', 'as: p1'),
      '7:5 this step does nothing; give it one of followup, steer',
    ],
    [
      'a wait for two things',
      SMALLEST.replace('followup: Hi there', 'wait: {held: a, text: b}'),
      '7:5 one step waits for one thing, this one has held and text',
    ],
    ['no steps', SMALLEST.replace('  - followup: Hi there\n', '  []\n'), '7:3 the list is empty'],
    [
      'a conversation without opens',
      SMALLEST.replace('steps:', '  attic:\n    - text: Dust.\nsteps:'),
      '6:3 the conversation "attic" needs "opens"',
    ],
    [
      'a misspelt main',
      SMALLEST.replace('main:', 'mian:'),
      '4:3 the conversation "mian" needs "opens": a text in its user messages by which it is recognised; only "main" has none',
    ],
    [
      'a reply that says nothing',
      SMALLEST.replace('text: Hello.', 'hold: first'),
      '5:7 this reply says nothing',
    ],
    [
      'a status with content',
      SMALLEST.replace('text: Hello.', 'text: Hello.\n      fail: {status: 500}'),
      '6:7 a reply that fails with a status has no content',
    ],
    [
      'a cause without an abort',
      SMALLEST.replace('requests: 1', 'turns: [{prompt: Hi, end: error, cause: user}]'),
      '9:36 only a turn with "end: aborted" has a cause',
    ],
    ['a child listed twice', `${SMALLEST}pinsChildToolSchemas: [1, 1]\n`, '10:27 child 1 is listed twice'],
    [
      'a child by name',
      `${SMALLEST}pinsChildToolSchemas: {attic: turns/x}\n`,
      '10:24 "attic" cannot be a key here',
    ],
    ['a list for the file', '- title: x\n', '1:1 expected a map (key: value), found a list'],
  ])('%s', (_what, text, expected) => {
    expect(complaints(text).find((one) => one.startsWith(expected))).toBeDefined();
  });

  it('all of it, not the first alone', () => {
    const text = SMALLEST.replace('covers', 'cover')
      .replace('followup', 'folowup')
      .replace('requests: 1', 'requests: many');
    expect(complaints(text).sort()).toEqual([
      '2:1 unknown key "cover"; did you mean "covers"?',
      '7:5 unknown key "folowup"; did you mean "followup"?',
      '9:13 expected a number, or a number for each conversation, found the text "many"',
    ]);
  });

  it('with the offending line and a mark below the column', () => {
    const parsed = parseScenario({
      text: SMALLEST.replace('requests', 'request'),
      id: 'turns/x',
      file: 'scenarios/turns/x.yaml',
    });
    expect('problems' in parsed && parsed.problems[0]).toMatchObject({
      kind: 'INVALID_SCENARIO',
      key: 'turns/x/expect.request',
      file: 'scenarios/turns/x.yaml',
      line: 9,
      column: 3,
      message: 'unknown key "request"; did you mean "requests"?\n  9 |   request: 1\n        ^',
    });
  });
});

describe('whatever is written', () => {
  const problemsOf = (text: string): readonly { readonly line: number | null }[] => {
    const parsed = parseScenario({ text, id: 'a/b', file: 'scenarios/a/b.yaml' });
    return 'problems' in parsed ? parsed.problems : [];
  };

  it('gives a scenario or problems that point into the file, and never throws', () => {
    const lines = EVERYTHING.split('\n');
    const noise = fc.constantFrom(
      '',
      '  ',
      '- ',
      ': ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '&a ',
      '*a',
      '|',
      '\t',
      'null',
      '7',
      '\n',
      '---\n',
      '<<: *a',
      '#',
    );
    const mutation = fc.record({
      line: fc.nat(lines.length - 1),
      column: fc.nat(40),
      remove: fc.nat(6),
      insert: noise,
    });
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
        const changed = [...lines];
        for (const { line, column, remove, insert } of mutations) {
          const old = changed[line] ?? '';
          changed[line] = old.slice(0, column) + insert + old.slice(column + remove);
        }
        const text = changed.join('\n');
        for (const { line } of problemsOf(text)) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(text.split('\n').length);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('has its unknown keys found on their own lines', () => {
    const lines = SMALLEST.split('\n');
    const keyed = lines.flatMap((line, index) =>
      /^\s*(?:- )?[a-z]+:/u.test(line) && !line.includes('main') ? [index] : [],
    );
    fc.assert(
      fc.property(fc.constantFrom(...keyed), (index) => {
        const changed = lines.map((line, at) =>
          at === index ? line.replace(/([a-z]+):/u, '$1qqqqq:') : line,
        );
        expect(problemsOf(changed.join('\n')).some(({ line }) => line === index + 1)).toBe(true);
      }),
    );
  });
});
