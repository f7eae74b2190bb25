import { describe, expect, it } from 'vitest';
import {
  DEFAULT_PERSONA,
  SECTION_ORDER,
  isGuidedTool,
  personaSection,
  toolSection,
  toolsSection,
  workspaceSection,
} from './first-party.ts';
import { SystemPrompt } from './sections.ts';

const section = (name: string, order: number, text = name) => ({ name, order, text });

describe('SystemPrompt (REQ-1)', () => {
  it('joins sections in ascending order whatever the order of registration', () => {
    const prompt = new SystemPrompt();
    prompt.add(section('last', 30));
    prompt.add(section('first', -5));
    prompt.add(section('middle', 20));
    expect(prompt.render()).toBe('first\n\nmiddle\n\nlast');
  });

  it('keeps the sequence of registration among equal orders, inherited sections first', () => {
    const parent = new SystemPrompt();
    const child = parent.child();
    child.add(section('c', 10));
    parent.add(section('b', 10));
    parent.add(section('a', 10));
    expect(child.sections().map(({ name }) => name)).toEqual(['b', 'a', 'c']);
  });

  it("shadows the parent's section of the same name in the child alone, at the order that the child gives", () => {
    const parent = new SystemPrompt();
    parent.add(section('persona', 10, 'parent'));
    parent.add(section('rest', 20));
    const child = parent.child();
    const sibling = parent.child();
    child.add(section('persona', 30, 'child'));
    expect(child.render()).toBe('rest\n\nchild');
    expect(parent.render()).toBe('parent\n\nrest');
    expect(sibling.render()).toBe('parent\n\nrest');
  });

  it('shows the shadowed section again after the disposer has run, and a second run does nothing', () => {
    const parent = new SystemPrompt();
    parent.add(section('persona', 10, 'parent'));
    const child = parent.child();
    const dispose = child.add(section('persona', 10, 'child'));
    dispose();
    expect(child.render()).toBe('parent');
    child.add(section('persona', 10, 'again'));
    dispose();
    expect(child.render()).toBe('again');
  });

  it('inherits through several scopes and follows later changes of the parent', () => {
    const top = new SystemPrompt();
    const bottom = top.child().child();
    const dispose = top.add(section('late', 1));
    expect(bottom.render()).toBe('late');
    dispose();
    expect(bottom.render()).toBe('');
  });

  it('refuses a name that is taken in the same scope, and an order that is no number', () => {
    const prompt = new SystemPrompt();
    prompt.add(section('x', 1));
    expect(() => prompt.add(section('x', 2))).toThrowError(
      expect.objectContaining({ code: 'DUPLICATE_SECTION' }),
    );
    expect(() => prompt.add(section('y', NaN))).toThrowError(
      expect.objectContaining({ code: 'INVALID_SECTION_ORDER' }),
    );
  });

  it('leaves out sections without text', () => {
    const prompt = new SystemPrompt();
    prompt.add(section('a', 1));
    prompt.add(section('empty', 2, ' \n'));
    prompt.add(section('b', 3));
    expect(prompt.render()).toBe('a\n\nb');
  });
});

describe('first-party sections', () => {
  it('put the persona first and all tool guidance before tool:report', () => {
    const prompt = new SystemPrompt();
    for (const tool of ['bash', 'edit', 'read', 'write'] as const) prompt.add(toolSection(tool));
    for (const one of [toolsSection(), workspaceSection('/w'), personaSection()]) prompt.add(one);
    expect(prompt.sections().map(({ name }) => name)).toEqual([
      'persona',
      'workspace',
      'tools',
      'tool:read',
      'tool:write',
      'tool:edit',
      'tool:bash',
    ]);
    expect(prompt.sections().every(({ order }) => order < SECTION_ORDER['tool:report'])).toBe(true);
    expect(SECTION_ORDER['tool:report']).toBe(2900);
  });

  it('render the same for the same workspace, with nothing of the date or the machine', () => {
    expect(workspaceSection('/a b').text).toContain('/a b');
    expect(workspaceSection('/w')).toEqual(workspaceSection('/w'));
    expect(personaSection().text).toBe(DEFAULT_PERSONA);
    expect(personaSection('Me').text).toBe('Me');
  });

  it('tell tools with guidance from those without', () => {
    expect(isGuidedTool('bash')).toBe(true);
    expect(isGuidedTool('toString')).toBe(false);
  });
});
