/** The core behind the Agent Client Protocol: the built `turnpin-agent acp`, driven frame by frame. */
import type { JsonValue } from '../scenario/scenario.ts';
import { CORE_CAPABILITIES, coreVersion } from './core.ts';
import { field, isList, stringField } from './event-view.ts';
import { heardOf, type Dialect, type ProtocolLine, type SpokenStep } from './dialect.ts';
import { startProtocol } from './protocol-subject.ts';
import { errorOf } from './rpc-wire.ts';
import { SubjectError, type SubjectKind } from './subject.ts';

/** The core through the driver `acp`. */
export function acpSubject(): SubjectKind {
  return {
    name: 'core',
    driver: 'acp',
    carrier: 'loopback',
    capabilities: CORE_CAPABILITIES,
    version: coreVersion(),
    start: (launch) => startProtocol(launch, DIALECT),
  };
}

/** How a prompt is rejected whose own turn failed (ACP-4): an outcome, and no refusal of the step. */
const TURN_FAILED = -32603;

const DIALECT: Dialect = {
  command: 'acp',
  greet: async (line) => {
    const hello = await line.wire.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: {},
      clientInfo: { name: 'turnpin', version: '1' },
      _meta: { 'turnpin/events': true },
    });
    line.accepted('initialize', hello);
    for (const sessionId of line.sessions.values()) {
      const params = { sessionId, cwd: line.launch.cwd, mcpServers: [] };
      line.accepted('session/load', await line.wire.request('session/load', params));
    }
    if (line.sessions.size === 0) await sessionOf(null, line);
  },
  say: async (step, line) => {
    const sessionId = await sessionOf(step.in, line);
    switch (step.do) {
      case 'followup':
        return prompt(step, sessionId, line);
      case 'cancel':
        return line.wire.notify('session/cancel', { sessionId });
      case 'dispose':
        void line.wire.request('session/close', { sessionId }, step.as);
        return;
      case 'steer':
      case 'inject':
        throw new SubjectError('CAPABILITY_REFUSED', `the protocol has no words for ${step.do}`);
    }
  },
  heard: (method, params) => {
    if (method === '_turnpin/event') return heardOf('event', params);
    if (method === '_turnpin/status') return heardOf('status', params);
    return method === '_turnpin/subagent-started' ? heardOf('child', params) : null;
  },
  answer: (method, params) => (method === 'session/request_permission' ? allowed(params) : undefined),
};

async function sessionOf(label: string | null, line: ProtocolLine): Promise<string> {
  const known = line.sessions.get(label);
  if (known !== undefined) return known;
  const made = await line.wire.request('session/new', { cwd: line.launch.cwd, mcpServers: [] });
  const id = stringField(line.accepted('session/new', made), 'sessionId');
  if (id === null) throw new SubjectError('SUBJECT_PROTOCOL', 'session/new was answered without a sessionId');
  line.name(label, id);
  return id;
}

/** The answer comes at idle; the step is done when the message is in the inbox, or is refused. */
async function prompt(
  step: Extract<SpokenStep, { readonly text: string }>,
  sessionId: string,
  line: ProtocolLine,
): Promise<void> {
  const before = line.taken(sessionId);
  const params = { sessionId, prompt: [{ type: 'text', text: step.text }] };
  const answered = line.wire.request('session/prompt', params, step.as).then((answer) => {
    const error = errorOf(answer);
    if (error !== null && error.code !== TURN_FAILED && step.as === null)
      line.refused(step.do, error.message);
  });
  await Promise.race([answered, line.until(() => line.taken(sessionId) > before)]);
}

/** The scenario's user says yes to everything. */
function allowed(params: JsonValue): JsonValue {
  const options = field(params, 'options');
  const yes = isList(options)
    ? options.find((option) => stringField(option, 'kind') === 'allow_once')
    : undefined;
  const optionId = stringField(yes, 'optionId');
  return optionId === null
    ? { outcome: { outcome: 'cancelled' } }
    : { outcome: { outcome: 'selected', optionId } };
}
