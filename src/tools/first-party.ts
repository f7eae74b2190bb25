/** The four tools that every agent has unless it is configured otherwise. */
import { bashTool } from './bash.ts';
import { SpillDirectory } from './command-output.ts';
import { editTool } from './edit.ts';
import { readTool } from './read.ts';
import type { Tool } from './tool.ts';
import { writeTool } from './write.ts';

export interface FirstPartyToolOptions {
  /** False lets `read`, `write`, `edit` and bash's `workdir` leave the workspace. True by default. */
  readonly confine?: boolean | undefined;
  /**
   * Where `bash` puts output that is too long to show, in files named by call id. Absolute; best outside the workspace,
   * so that it is never committed. By default a fresh directory under the system's place for temporary files.
   */
  readonly spillDir?: string | undefined;
}

/** `read`, `write`, `edit` and `bash` (core.md, "Prompt, tools, composition"). */
export function createFirstPartyTools(options: FirstPartyToolOptions = {}): Tool[] {
  const confine = options.confine ?? true;
  return [
    readTool({ confine }),
    writeTool({ confine }),
    editTool({ confine }),
    bashTool({ confine, spill: new SpillDirectory(options.spillDir) }),
  ];
}
