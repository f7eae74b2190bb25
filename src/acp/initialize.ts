/** What `initialize` is answered. Apart from the bridge, since it needs nothing of the protocol's package. */
import type { InitializeResponse } from '@agentclientprotocol/sdk';

/** The one version of the protocol that is spoken here. */
const PROTOCOL_VERSION = 1;

/** `version` is the agent's own. */
export function initializeResponse(version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'turnpin-agent', title: 'Turnpin', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { embeddedContext: true, image: false, audio: false },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    },
    authMethods: [],
  };
}
