/** The core behind its low-level protocol: the built `turnpin-agent serve`, driven frame by frame. */
import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../scenario/scenario.ts';
import { CORE_CAPABILITIES, coreVersion } from './core.ts';
import { heardOf, type Dialect, type ProtocolLine, type SpokenStep } from './dialect.ts';
import { startProtocol } from './protocol-subject.ts';
import type { SubjectKind } from './subject.ts';

/** The core through the driver `sdk`. */
export function sdkSubject(): SubjectKind {
  return {
    name: 'core',
    driver: 'sdk',
    carrier: 'loopback',
    capabilities: CORE_CAPABILITIES,
    version: coreVersion(),
    start: (launch) => startProtocol(launch, DIALECT),
  };
}

const METHOD = {
  followup: 'session/prompt',
  steer: 'session/steer',
  inject: 'session/inject',
  cancel: 'session/cancel',
} as const;

const DIALECT: Dialect = {
  command: 'serve',
  greet: async (line) => {
    line.accepted('initialize', await line.wire.request('initialize', { cwd: line.launch.cwd }));
    if (line.sessions.size === 0) sessionId(null, line);
  },
  say: async (step, line) => {
    if (step.do === 'dispose') {
      // It answers when all is disposed of, and ends; the step is done when it is sent.
      line.expectEnd();
      void line.wire.request('shutdown', {}, step.as);
      return;
    }
    const answer = await line.wire.request(METHOD[step.do], params(step, line), step.as);
    if (step.as === null || answer === null) line.accepted(step.do, answer);
  },
  heard: (method, params) => {
    if (method === 'session.event') return heardOf('event', params);
    if (method === 'session.status') return heardOf('status', params);
    return method === 'subagent.started' ? heardOf('child', params) : null;
  },
  answer: () => undefined,
};

function params(step: SpokenStep, line: ProtocolLine): JsonValue {
  const id = sessionId(step.in, line);
  return 'text' in step
    ? { sessionId: id, contentBlocks: [{ type: 'text', text: step.text }] }
    : { sessionId: id };
}

/** Sessions are named by the client; the first prompt makes them. */
function sessionId(label: string | null, line: ProtocolLine): string {
  const known = line.sessions.get(label);
  if (known !== undefined) return known;
  const id = randomUUID();
  line.name(label, id);
  return id;
}
