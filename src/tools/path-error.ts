/** What file tools say when a path cannot be used. Paths are repeated as the model gave them, never resolved. */
import { codeOf } from '../session/thrown.ts';
import { ToolError } from './tool.ts';

export function outside(given: string): ToolError {
  return new ToolError(
    'OUTSIDE_WORKSPACE',
    `${given} leads outside the workspace. File tools work inside it alone; use a path below the workspace.`,
  );
}

/** Turns a system error about `given` into a `ToolError`; one that is already a `ToolError` stays as it is. */
export function refusal(given: string, error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  const code = codeOf(error);
  switch (code) {
    case 'ENOENT':
      return new ToolError('NOT_FOUND', `${given} does not exist.`);
    case 'ENOTDIR':
      return new ToolError('NOT_A_DIRECTORY', `A part of ${given} is no directory.`);
    case 'EISDIR':
      return new ToolError('IS_DIRECTORY', `${given} is a directory, not a file.`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new ToolError('PERMISSION_DENIED', `${given} cannot be accessed: permission denied.`);
    case 'ENXIO':
      return new ToolError('NOT_A_FILE', `${given} is a pipe, device or socket, not a file.`);
    case 'ENAMETOOLONG':
      return new ToolError('INVALID_PATH', `${given} is too long for a path.`);
    // Only a link that came after the check can still be met here.
    case 'ELOOP':
      return outside(given);
    default:
      return new ToolError('IO_FAILED', `${given} cannot be accessed (${code ?? 'unknown reason'}).`);
  }
}
