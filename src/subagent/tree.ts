/** Making the agents of a tree: a child's session, scope, manager and agent, put together. */
import type { Agent } from '../agent/contract.ts';
import { CheckpointError } from '../agent/errors.ts';
import { ListenerError } from '../session/publication.ts';
import type { Session } from '../session/session.ts';
import { asError, messageOf } from '../session/thrown.ts';
import { ToolError } from '../tools/tool.ts';
import { descriptorOf, type Descriptor } from './child-sessions.ts';
import { ContinuationManager, type Parent } from './continuation-manager.ts';
import { delegationSection, delegationTools } from './delegation-tools.ts';
import type { ChildFacts, ChildPlan, Family, FamilyParts, MakeAgent, Member, ParentSide } from './family.ts';
import type { ChildName } from './notices.ts';
import { endingOf } from './outcome.ts';
import { composeChild, innerScope, type Scope } from './scope.ts';

/** A family without members. */
export function createFamily(parts: FamilyParts): Family {
  const family: Family = {
    ...parts,
    startChild: (parent, plan) => startChild(family, parent, plan),
    resumeChild: (parent, child) => resumeChild(family, parent, child),
  };
  return family;
}

/** An agent that can have children. `add` puts more into its own scope. */
export function createParent(
  family: Family,
  parent: Parent & {
    readonly allowed?: readonly string[] | undefined;
    readonly add?: (scope: Scope) => void;
  },
  makeAgent: MakeAgent,
): { readonly agent: Agent; readonly children: ContinuationManager } {
  const scope = innerScope(parent.composition);
  const children = new ContinuationManager(family, parent);
  offerDelegation(scope, children, { family, allowed: parent.allowed });
  parent.add?.(scope);
  const agent = makeAgent({ session: parent.session, scope, drain: () => children.drain() });
  children.attach(agent);
  return { agent, children };
}

/** Delegation is bound to the agent that has it, so it is registered anew in each scope; a tool filter holds for it too. */
function offerDelegation(
  scope: Scope,
  manager: ContinuationManager,
  { family, allowed }: { readonly family: Family; readonly allowed: readonly string[] | undefined },
): void {
  const { continuable } = family.settings;
  const offered = delegationTools(manager, continuable).filter(({ name }) => allowed?.includes(name) ?? true);
  for (const tool of offered) scope.tools.add(tool);
  if (offered.some(({ name }) => name === 'subagent')) scope.prompt.add(delegationSection(continuable));
}

function startChild(family: Family, parent: ParentSide, plan: ChildPlan): Member {
  const { mode, label, persona, tools } = plan;
  const session = family.sessions.create({
    ...family.facts,
    parentSession: parent.id,
    origin: 'subagent',
    delegationDepth: parent.depth + 1,
  });
  const descriptor: Descriptor = {
    mode,
    label,
    ...(persona === undefined ? {} : { persona }),
    ...(tools === undefined ? {} : { tools }),
  };
  return raise(family, parent, { session, descriptor });
}

function resumeChild(family: Family, parent: ParentSide, child: ChildName): Member {
  const session = family.sessions.open(child.id);
  const descriptor = descriptorOf(session.log.events);
  if (descriptor?.mode === 'continuable' && session.header.parentSession === parent.id)
    return raise(family, parent, { session, descriptor });
  session.close();
  throw new ToolError(
    'NOT_CONTINUABLE',
    `The session ${child.id} is not one of a continuable child of this agent.`,
  );
}

interface Made {
  readonly session: Session;
  readonly descriptor: Descriptor;
}

function raise(family: Family, parent: ParentSide, { session, descriptor }: Made): Member {
  const { mode, label } = descriptor;
  const facts: ChildFacts = { id: session.id, label, mode, parent: parent.id };
  const failure = new EpochFailure();
  const unsubscribe = publish(family, facts, { session, failure });
  try {
    if (session.log.events.length === 0) session.log.append('subagent/descriptor', descriptor);
    const epochStart = session.log.events.length;
    let uninstall = (): void => {};
    const { agent, children } = createParent(
      family,
      {
        session,
        composition: composeChild(parent.composition, descriptor),
        depth: parent.depth + 1,
        allowed: descriptor.tools,
        add: ({ tools, prompt }) => {
          if (mode !== 'continuable') return;
          const deliver = (report: string) => parent.deliver(facts, report);
          uninstall = family.installReport({ tools, systemPrompt: prompt, deliver });
        },
      },
      family.makeAgent,
    );
    return {
      facts,
      agent,
      children,
      ending: () => endingOf(session.log.events.slice(epochStart), failure.error),
      letGo: async (outcome) => {
        await agent.dispose().catch((error: unknown) => failure.note(error));
        contain(uninstall, session);
        unsubscribe();
        family.tell({ kind: 'finished', child: facts, outcome: outcome() });
      },
    };
  } catch (error) {
    unsubscribe();
    session.close();
    const outcome = { kind: 'error', message: messageOf(error) } as const;
    family.tell({ kind: 'finished', child: facts, outcome });
    throw error;
  }
}

/** Tells whoever watches of everything that the child records, what recovery has written included. */
function publish(
  family: Family,
  child: ChildFacts,
  { session, failure }: { readonly session: Session; readonly failure: EpochFailure },
): () => void {
  const { log, resumed } = session;
  family.tell({ kind: 'started', child, resumed: resumed !== null });
  for (const event of log.events.slice(log.events.length - (resumed?.repairs ?? 0)))
    family.tell({ kind: 'published', child, published: { kind: 'event', event } });
  return log.subscribe((published) => {
    if (published.kind === 'live' && published.live.type === 'agent/error')
      failure.note(published.live.error);
    family.tell({ kind: 'published', child, published });
  });
}

/** The latest error of an epoch that can have kept it from its work. */
class EpochFailure {
  error: Error | null = null;

  note(error: unknown): void {
    if (error instanceof CheckpointError || error instanceof ListenerError) return;
    this.error = asError(error);
  }
}

function contain(cleanUp: () => void, { log }: Session): void {
  try {
    cleanUp();
  } catch (error) {
    log.notify({ type: 'agent/error', error: asError(error) });
  }
}
