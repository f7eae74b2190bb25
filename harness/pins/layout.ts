/** From declarations to the expected files that they claim (pins.md). Pure. */
import { HEADER_PARTS, type HeaderPart } from '../observe/observations.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Suite } from '../scenario/suite.ts';
import { CHILD_PARTS, declaredChildren, type ChildPart } from './child-pins.ts';
import type { Claim } from './contract.ts';
import {
  CATEGORIES_TOPIC,
  headerFileName,
  pinKey,
  REFERENCE_SUBJECT,
  TRANSCRIPT_FILE_NAME,
  wireFileName,
} from './names.ts';

/** Every file that a suite claims for one subject, sorted by file. A reference to another owner's sidecar claims nothing. */
export function layout(suite: Suite, subject: string = REFERENCE_SUBJECT): Claim[] {
  const folder = `${suite.paths.snapshots}/${subject}`;
  const claims = [
    ...[...suite.categories.values()].flatMap((category) =>
      HEADER_PARTS.map((part) =>
        categoryClaim({ folder, subject, category: category.name, part }, category.extends),
      ),
    ),
    ...suite.scenarios.flatMap((scenario) => scenarioClaims(scenario, { folder, subject })),
  ];
  return claims.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
}

interface Place {
  readonly folder: string;
  readonly subject: string;
}

function categoryClaim(
  place: Place & { readonly category: string; readonly part: HeaderPart },
  parent: string | null,
): Claim {
  return {
    key: pinKey(place.subject, place.category, place.part),
    file: `${place.folder}/${CATEGORIES_TOPIC}/${place.category}/${headerFileName(place.part)}`,
    owner: { kind: 'category', category: place.category, part: place.part },
    required: parent === null,
  };
}

function scenarioClaims(scenario: Scenario, { folder, subject }: Place): Claim[] {
  const own = `${folder}/${scenario.id}`;
  const children = (Object.keys(CHILD_PARTS) as ChildPart[]).flatMap((part) =>
    declaredChildren(scenario, part)
      .filter((pin) => pin.owner === null)
      .map(({ child }): Claim => ({
        key: pinKey(subject, scenario.id, `${part}.${child}`),
        file: `${own}/${headerFileName(part, child)}`,
        owner: { kind: 'child', scenario: scenario.id, child, part },
        required: true,
      })),
  );
  const wires = scenario.pinsWire.map((driver): Claim => ({
    key: pinKey(subject, scenario.id, `wire.${driver}`),
    file: `${own}/${wireFileName(driver)}`,
    owner: { kind: 'wire', scenario: scenario.id, driver },
    required: true,
  }));
  const transcript: Claim = {
    key: pinKey(subject, scenario.id, 'transcript'),
    file: `${own}/${TRANSCRIPT_FILE_NAME}`,
    owner: { kind: 'transcript', scenario: scenario.id },
    required: true,
  };
  return [transcript, ...children, ...wires];
}
