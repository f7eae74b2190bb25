/** `subagents`: the root of a tree of agents (core.md, "Subagents"). */
import type { Agent } from '../agent/contract.ts';
import type { Session } from '../session/session.ts';
import type { SessionStore } from '../session/store.ts';
import { diskChildSessions, memoryChildSessions } from '../subagent/child-sessions.ts';
import type { Parent } from '../subagent/continuation-manager.ts';
import type { ChildNews, LiveChildren, MakeAgent } from '../subagent/family.ts';
import { loadReportPackage } from '../subagent/report.ts';
import { innerScope, type Scope } from '../subagent/scope.ts';
import { createFamily, createParent } from '../subagent/tree.ts';
import type { Settings } from './settings.ts';

/** What the root is made of. */
export interface RootParts {
  readonly root: Parent;
  /** Adds to the root's own scope what its children do not inherit. */
  readonly add: (scope: Scope) => void;
  readonly makeRoot: MakeAgent;
  readonly makeChild: MakeAgent;
  readonly wrapStore: (store: SessionStore) => SessionStore;
  readonly tell: (news: ChildNews) => void;
}

/** The root agent, with children where the configuration has subagents; `children` is null where it has none. */
export function withChildren(
  settings: Settings,
  parts: RootParts,
): { readonly agent: Agent; readonly children: LiveChildren | null } {
  const { root, add, makeRoot, makeChild, wrapStore, tell } = parts;
  const { session, composition } = root;
  if (settings.subagents === null) return { agent: alone(parts), children: null };
  const family = createFamily({
    sessions:
      session.file === null ? memoryChildSessions() : diskChildSessions(settings.sessionsDir, wrapStore),
    settings: settings.subagents,
    makeAgent: makeChild,
    installReport: loadReportPackage({ systemPrompt: composition.prompt, tools: composition.tools }),
    facts: workspaceOf(session),
    tell,
  });
  return createParent(family, { ...root, add }, makeRoot);
}

function alone({ root, add, makeRoot }: RootParts): Agent {
  const scope = innerScope(root.composition);
  add(scope);
  return makeRoot({ session: root.session, scope, drain: () => Promise.resolve() });
}

function workspaceOf({ header }: Session): { readonly cwd?: string } {
  return header.cwd === undefined ? {} : { cwd: header.cwd };
}
