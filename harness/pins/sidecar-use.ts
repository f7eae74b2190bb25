/** UNUSED_RULE: a declared child sidecar whose child never sent a request (pins.md, rule 4). Pure. */
import { HEADER_PARTS, type HeaderPart } from '../observe/observations.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { problem, type Problem } from '../verdict/problem.ts';
import { CHILD_PARTS, declaredChildren, isChildPart } from './child-pins.ts';
import { pinKey } from './names.ts';

/** How a use of a declaration is remembered. */
export function sidecarUse(scenario: string, part: HeaderPart, child: number): string {
  return `${scenario} ${part}.${child}`;
}

/** Of the scenarios that ran without other problems, every declaration that no request used. */
export function unusedSidecars(
  scenarios: readonly Scenario[],
  facts: { readonly used: ReadonlySet<string>; readonly subject: string },
): Problem[] {
  return scenarios.flatMap((scenario) =>
    HEADER_PARTS.filter(isChildPart).flatMap((part) =>
      declaredChildren(scenario, part).flatMap(({ child, position }) =>
        facts.used.has(sidecarUse(scenario.id, part, child))
          ? []
          : [
              problem({
                kind: 'UNUSED_RULE',
                key: pinKey(facts.subject, scenario.id, `${part}.${child}`),
                file: scenario.file,
                line: position.line,
                column: position.column,
                message: `${CHILD_PARTS[part]} declares child ${child}, which sent no request in any run. Take it out, or let the scenario start that child.`,
                seen: 'unused',
              }),
            ],
      ),
    ),
  );
}
