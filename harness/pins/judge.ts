/** Holds all runs against the expected files (pins.md, rules 1, 6 and 9). Pure; keeps one copy of each distinct text. */
import {
  HEADER_PARTS,
  type HeaderPart,
  type HeaderValue,
  type Observations,
} from '../observe/observations.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Suite } from '../scenario/suite.ts';
import { sortProblems, type Affected, type Problem } from '../verdict/problem.ts';
import type { Driver, Section } from '../verdict/vocabulary.ts';
import { categoryGroups } from './category-groups.ts';
import { judgeGroup, type JudgeFacts, type PinGroup, type Sighting } from './category-judge.ts';
import { declaredChildren, isChildPart, sidecarOf } from './child-pins.ts';
import type { Claim, DiskFile, PinJudgement } from './contract.ts';
import { declarationDigest } from './declaration-digest.ts';
import { Disk } from './disk.ts';
import { categoryClaims, holderOf } from './inheritance.ts';
import { pinKey, REFERENCE_SUBJECT } from './names.ts';
import { sidecarUse, unusedSidecars } from './sidecar-use.ts';
import { unusedVarying, varyingUse } from './varying-use.ts';
import { judgeTranscript, judgeWire, notJudged, type ScenarioSeen } from './transcript-judge.ts';
import { splitTranscript, TRANSCRIPT_SECTIONS } from './transcript-file.ts';

export interface LedgerFacts {
  readonly suite: Suite;
  readonly claims: readonly Claim[];
  readonly disk: readonly DiskFile[];
  readonly subject?: string;
  /** Scenarios that the subject can run through some driver; only they count as members. All by default. */
  readonly runnable?: ReadonlySet<string>;
}

export interface LedgerRun extends Affected {
  /**
   * No problem but differences from pins: only such runs leave pending files, and only their transcripts are judged, since
   * another one would differ for a reason that is told already. What a run sent counts in any case.
   */
  readonly clean: boolean;
  /** It crashed or ran into its deadline. */
  readonly partial?: boolean;
  readonly observations: Observations;
}

/** Takes runs one at a time, in any order, and keeps of each only what is not on disk already. */
export interface PinLedger {
  add(run: LedgerRun): void;
  judge(how: { readonly filtered: boolean }): PinJudgement;
}

export function createPinLedger(facts: LedgerFacts): PinLedger {
  return new Ledger(facts);
}

/** The audit's problems and the judge's: where both report the same, the judge's, which has seen a run. */
export function mergeFindings(audited: readonly Problem[], judged: readonly Problem[]): Problem[] {
  const better = new Set(judged.map(({ id }) => id));
  return sortProblems([...audited.filter(({ id }) => !better.has(id)), ...judged]);
}

interface Seen {
  readonly sections: Map<Section, Map<string | null, Driver[]>>;
  readonly wires: Map<Driver, string | null>;
  readonly sound: Set<Driver>;
  readonly ran: Set<Driver>;
}

class Ledger implements PinLedger {
  readonly #suite: Suite;
  readonly #claims: readonly Claim[];
  readonly #claimOf: ReadonlyMap<string, Claim>;
  readonly #disk: Disk;
  readonly #subject: string;
  readonly #byId: ReadonlyMap<string, Scenario>;
  readonly #runnable: ReadonlySet<string>;
  /** By `category/part`, or by the key of a sidecar: text -> sightings. */
  readonly #headers = new Map<string, Map<string, Sighting[]>>();
  /** By scenario. */
  readonly #seen = new Map<string, Seen>();
  readonly #usedSidecars = new Set<string>();
  readonly #varying = new Map<string, string[]>();

  constructor(facts: LedgerFacts) {
    this.#suite = facts.suite;
    this.#claims = facts.claims;
    this.#claimOf = new Map(facts.claims.map((claim) => [claim.key, claim]));
    this.#disk = new Disk(facts.disk);
    this.#subject = facts.subject ?? REFERENCE_SUBJECT;
    this.#byId = new Map(facts.suite.scenarios.map((scenario) => [scenario.id, scenario]));
    this.#runnable = facts.runnable ?? new Set(this.#byId.keys());
  }

  add(run: LedgerRun): void {
    const scenario = this.#byId.get(run.scenario);
    if (scenario === undefined) return;
    for (const value of run.observations.headers) this.#addHeader(scenario, run, value);
    for (const [header, digests] of run.observations.varying) {
      const use = varyingUse(scenario.category, header);
      const seen = this.#varying.get(use);
      if (seen === undefined) this.#varying.set(use, [...digests]);
      else seen.push(...digests);
    }
    this.#addSections(scenario, run);
  }

  judge({ filtered }: { readonly filtered: boolean }): PinJudgement {
    const facts: JudgeFacts = { disk: this.#disk, filtered, digestOf: (id) => this.#digestOf(id) };
    const groups = [...this.#categoryGroups(), ...this.#childGroups()];
    const judgements = [
      ...groups.filter((group) => this.#matters(group)).map((group) => judgeGroup(group, facts)),
      ...this.#claims.flatMap((claim) => this.#judgeFile(claim, facts)),
    ];
    return {
      problems: sortProblems([
        ...judgements.flatMap(({ problems }) => problems),
        ...this.#unusedSidecars(),
        ...(filtered ? [] : this.#unusedVarying()),
      ]),
      pins: judgements.map(({ pin }) => pin).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)),
      pending: judgements
        .flatMap(({ pending }) => pending ?? [])
        .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)),
    };
  }

  #addHeader(scenario: Scenario, run: LedgerRun, value: HeaderValue): void {
    const slot = this.#slotOf(scenario, value);
    this.#usedSidecars.add(sidecarUse(scenario.id, value.part, value.child));
    const texts = this.#headers.get(slot) ?? new Map<string, Sighting[]>();
    this.#headers.set(slot, texts);
    const { conversation, child, request } = value;
    const sightings = texts.get(value.text) ?? [];
    texts.set(value.text, sightings);
    sightings.push({
      scenario: run.scenario,
      driver: run.driver,
      clean: run.clean,
      conversation,
      child,
      request,
    });
  }

  /** A declared child's part is held against its sidecar; everything else against the category. */
  #slotOf(scenario: Scenario, { part, child }: HeaderValue): string {
    return (child > 0 ? this.#sidecarKey(scenario, part, child) : null) ?? `${scenario.category}/${part}`;
  }

  #sidecarKey(scenario: Scenario, part: HeaderPart, child: number): string | null {
    const pin = declaredChildren(scenario, part).find((declared) => declared.child === child);
    if (pin === undefined || !isChildPart(part)) return null;
    const sidecar = sidecarOf(pin, { scenario, part, byId: this.#byId });
    return sidecar === null
      ? `${scenario.id}/broken-reference`
      : `sidecar ${pinKey(this.#subject, sidecar.scenario, `${part}.${sidecar.child}`)}`;
  }

  #addSections(scenario: Scenario, run: LedgerRun): void {
    const seen: Seen = this.#seen.get(scenario.id) ?? {
      sections: new Map(),
      wires: new Map(),
      sound: new Set(),
      ran: new Set(),
    };
    this.#seen.set(scenario.id, seen);
    seen.ran.add(run.driver);
    if (!run.clean || run.partial === true) return;
    seen.sound.add(run.driver);
    const { sections } = run.observations;
    const pinned = this.#pinnedSections(scenario.id);
    for (const section of TRANSCRIPT_SECTIONS) {
      const text = sections.get(section);
      if (text === undefined) continue;
      const values = seen.sections.get(section) ?? new Map<string | null, Driver[]>();
      seen.sections.set(section, values);
      const known = text === pinned.get(section) ? null : text;
      values.set(known, [...(values.get(known) ?? []), run.driver]);
    }
    const wire = sections.get('wire');
    if (wire === undefined) return;
    const file = this.#claimOf.get(pinKey(this.#subject, scenario.id, `wire.${run.driver}`))?.file;
    seen.wires.set(run.driver, file !== undefined && this.#disk.get(file)?.text === wire ? null : wire);
  }

  #pinnedSections(id: string): ReadonlyMap<Section, string> {
    const file = this.#claimOf.get(pinKey(this.#subject, id, 'transcript'))?.file;
    return splitTranscript(file === undefined ? '' : (this.#disk.get(file)?.text ?? '')).sections;
  }

  #digestOf(id: string): string {
    const scenario = this.#byId.get(id);
    return scenario === undefined ? '' : declarationDigest(scenario, this.#suite);
  }

  #categoryGroups(): PinGroup[] {
    return categoryGroups({
      suite: this.#suite,
      claims: categoryClaims(this.#claims),
      disk: this.#disk,
      seen: this.#headers,
      ran: new Set(this.#seen.keys()),
      runnable: this.#runnable,
      isNew: (category) => !this.#isPinned(category),
    });
  }

  #isPinned(category: string): boolean {
    return this.#claims.some(
      ({ owner, file }) =>
        this.#disk.has(file) &&
        (owner.kind === 'category' ? owner.category : this.#byId.get(owner.scenario)?.category) === category,
    );
  }

  #childGroups(): PinGroup[] {
    const members = new Map<string, string[]>();
    for (const scenario of this.#suite.scenarios) {
      for (const part of HEADER_PARTS) {
        for (const { child } of declaredChildren(scenario, part)) {
          const slot = this.#sidecarKey(scenario, part, child);
          if (slot !== null) members.set(slot, [...(members.get(slot) ?? []), scenario.id]);
        }
      }
    }
    return this.#claims.flatMap((claim): PinGroup[] => {
      if (claim.owner.kind !== 'child') return [];
      const all = (members.get(`sidecar ${claim.key}`) ?? []).filter((id) => this.#runnable.has(id));
      return [
        {
          claim,
          seen: this.#headers.get(`sidecar ${claim.key}`) ?? new Map(),
          members: all,
          declared: all,
          ran: new Set(all.filter((id) => this.#seen.has(id))),
          inherits: this.#inheritedBy(claim),
        },
      ];
    });
  }

  #unusedSidecars(): Problem[] {
    const sound = this.#suite.scenarios.filter(({ id }) => {
      const seen = this.#seen.get(id);
      return seen !== undefined && seen.sound.size === seen.ran.size;
    });
    return unusedSidecars(sound, { used: this.#usedSidecars, subject: this.#subject });
  }

  #unusedVarying(): Problem[] {
    const ran = new Set([...this.#headers.keys()].map((slot) => slot.slice(0, slot.lastIndexOf('/'))));
    return unusedVarying(this.#suite, { seen: this.#varying, ran, subject: this.#subject });
  }

  #inheritedBy({ owner }: Claim): string | null {
    if (owner.kind !== 'child') return null;
    const category = this.#byId.get(owner.scenario)?.category ?? '';
    const stands = (claim: Claim): boolean => this.#disk.has(claim.file);
    return (
      holderOf(category, owner.part, {
        categories: this.#suite.categories,
        claims: categoryClaims(this.#claims),
        stands,
      })?.file ?? null
    );
  }

  /** A category that inherits and a category that nothing uses have nothing to show. */
  #matters(group: PinGroup): boolean {
    return this.#disk.has(group.claim.file) || group.seen.size > 0;
  }

  #judgeFile(claim: Claim, facts: JudgeFacts): ReturnType<typeof judgeTranscript>[] {
    const { owner } = claim;
    if (owner.kind !== 'transcript' && owner.kind !== 'wire') return [];
    const seen = this.#seen.get(owner.scenario);
    if (seen !== undefined && this.#disk.isInConflict(claim.file)) return [notJudged(claim, 1)];
    if (seen === undefined) return this.#runnable.has(owner.scenario) ? [notJudged(claim, 0)] : [];
    const all: ScenarioSeen = { scenario: owner.scenario, ...seen };
    return [
      owner.kind === 'wire'
        ? judgeWire(claim, all, { ...facts, driver: owner.driver })
        : judgeTranscript(claim, all, facts),
    ];
  }
}
