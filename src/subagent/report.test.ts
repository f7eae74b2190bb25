import { describe, expect, it } from 'vitest';
import { SECTION_ORDER } from '../prompt/first-party.ts';
import { SystemPrompt } from '../prompt/sections.ts';
import type { MessageId } from '../session/events.ts';
import { ToolRegistry } from '../tools/registry.ts';
import {
  ReportRegistrationError,
  installReportTool,
  loadReportPackage,
  reportSection,
  reportTool,
} from './report.ts';

const deliver = (): MessageId => 'm' as MessageId;

function failing(message: string): () => never {
  return () => {
    throw new Error(message);
  };
}

/** What was thrown. */
function thrownBy(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('the report package', () => {
  it('REPORT-1: the description tells to report once before the end, in full, and earlier when it changes what follows', () => {
    const { description, parameters } = reportTool(deliver);
    expect(description).toContain(
      'Call it once before you end, with a final result that can be understood on its own',
    );
    expect(description).toContain('whenever partial progress would change what that agent does next');
    expect(Object.keys(parameters['properties'] as object)).toEqual(['text']);
  });

  it('REPORT-2: the section carries the same obligation in the voice of the child, behind all tool guidance', () => {
    const { name, order, text } = reportSection();
    expect({ name, order }).toEqual({ name: 'tool:report', order: 2900 });
    expect(text).toContain('I am done when I have called `report`');
    expect(text).toContain('change what that agent does next');
    const guidance = Object.entries(SECTION_ORDER).filter(([key]) => key !== 'tool:report');
    expect(guidance.every(([, other]) => other < order)).toBe(true);
  });

  it('REPORT-3: both registrations are on the scope that they are given, and one disposer removes both', () => {
    const parent = { tools: new ToolRegistry(), prompt: new SystemPrompt() };
    const child = { tools: parent.tools.child(), prompt: parent.prompt.child() };
    const sibling = { tools: parent.tools.child(), prompt: parent.prompt.child() };
    const dispose = installReportTool({ tools: child.tools, systemPrompt: child.prompt, deliver });
    expect(child.tools.get('report')).toBeDefined();
    expect(child.prompt.sections().map(({ name }) => name)).toEqual(['tool:report']);
    for (const other of [parent, sibling]) {
      expect(other.tools.tools()).toEqual([]);
      expect(other.prompt.sections()).toEqual([]);
    }
    dispose();
    dispose();
    expect(child.tools.tools()).toEqual([]);
    expect(child.prompt.sections()).toEqual([]);
  });

  it('REPORT-10: a filter that allows no tool leaves report there', () => {
    const tools = new ToolRegistry().child({ filter: [] });
    installReportTool({ tools, systemPrompt: new SystemPrompt(), deliver });
    expect(tools.tools().map(({ name }) => name)).toEqual(['report']);
  });

  it('REPORT-4: a tool that cannot be registered rolls the section back, and its own error is told', () => {
    const systemPrompt = new SystemPrompt();
    const error = thrownBy(() =>
      installReportTool({ tools: { add: failing('taken') }, systemPrompt, deliver }),
    );
    expect(error).toMatchObject({ message: 'taken' });
    expect(systemPrompt.sections()).toEqual([]);
  });

  it('REPORT-4: a rollback that fails as well tells both failures', () => {
    const systemPrompt = { add: () => failing('stuck') };
    const error = thrownBy(() =>
      installReportTool({ tools: { add: failing('taken') }, systemPrompt, deliver }),
    );
    expect(error).toBeInstanceOf(ReportRegistrationError);
    expect(error).toMatchObject({
      code: 'REPORT_INSTALL_FAILED',
      errors: [{ message: 'taken' }, { message: 'stuck' }],
    });
  });

  it.each([
    ['the tool', ['tool stays'], true, false],
    ['the section', ['section stays'], false, true],
    ['both', ['tool stays', 'section stays'], true, true],
  ])(
    'REPORT-4: the disposer attempts both before it throws: %s cannot be removed',
    (_, messages, tool, section) => {
      const removed: string[] = [];
      const remove = (name: string, fails: boolean) => () => {
        removed.push(name);
        if (fails) throw new Error(`${name} stays`);
      };
      const dispose = installReportTool({
        tools: { add: () => remove('tool', tool) },
        systemPrompt: { add: () => remove('section', section) },
        deliver,
      });
      expect(thrownBy(dispose)).toMatchObject({
        code: 'REPORT_CLEANUP_FAILED',
        errors: messages.map((message) => ({ message })),
      });
      expect(removed).toEqual(['tool', 'section']);
    },
  );

  it('REPORT-9: it is not loaded where there is no system prompt, which is said at once', () => {
    const error = thrownBy(() => loadReportPackage({ tools: new ToolRegistry() }));
    expect(error).toMatchObject({ code: 'MISSING_DEPENDENCY', missing: ['systemPrompt'] });
    expect(loadReportPackage({ tools: new ToolRegistry(), systemPrompt: new SystemPrompt() })).toBe(
      installReportTool,
    );
  });
});
