/** What every command does around its own work: find the project, keep the time, make the report. */
import type { Command } from 'commander';
import { assembleReport, type ReportFacts } from '../report/assemble.ts';
import type { Report } from '../verdict/report.ts';
import { findProject } from './project.ts';
import type { World } from './world.ts';

export interface Frame {
  /** Absolute. */
  readonly root: string;
  /** `-C` as it was given; null where it was not. */
  readonly chosenRoot: string | null;
  /** The report of this command, with its start and duration filled in. */
  report(facts: Omit<ReportFacts, 'turnpin' | 'startedAt' | 'durationMs'>): Report;
}

/** Throws UsageError where there is no project. */
export function openFrame(command: Command, world: World): Frame {
  const startedAt = world.now();
  const from = world.ticks();
  const { root } = command.optsWithGlobals<{ root?: string }>();
  return {
    root: findProject(world.cwd, root ?? null),
    chosenRoot: root ?? null,
    report: (facts) =>
      assembleReport({ ...facts, turnpin: world.turnpin, startedAt, durationMs: world.ticks() - from }),
  };
}
