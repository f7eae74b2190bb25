/** The subject of a check, with each of its ways in. The core, until a manifest names another. */
import type { SubjectKind } from '../subject/subject.ts';

/** In the order of the drivers. Light: what a way in needs is loaded when it starts. */
export async function subjectKinds(): Promise<readonly SubjectKind[]> {
  const [{ inprocSubject }, { cliSubject }, { sdkSubject }, { acpSubject }] = await Promise.all([
    import('../subject/inproc.ts'),
    import('../subject/cli.ts'),
    import('../subject/sdk.ts'),
    import('../subject/acp.ts'),
  ]);
  return [inprocSubject(), cliSubject(), sdkSubject(), acpSubject()];
}
