import { type ErrorCode, isMillraceError, MillraceError } from '../../errors/index.ts'

/** Meanings of system error codes for a path. */
const explanations: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  EACCES: ['forbidden', 'cannot be used: the system denies permission.'],
  EEXIST: ['conflict', 'already exists.'],
  EISDIR: ['bad_request', 'is a folder, not a file.'],
  ELOOP: [
    'forbidden',
    'is, or leads through, a link that cannot be followed. It may be a cycle of links.',
  ],
  EMFILE: ['overloaded', 'cannot be opened now: too many files are open. Try again.'],
  ENAMETOOLONG: ['bad_request', 'has a name that is too long for the file system (255 bytes).'],
  ENOENT: ['not_found', 'does not exist. Use list_dir or glob to find the right path.'],
  ENOSPC: ['overloaded', 'cannot be written: the disk is full.'],
  ENOTDIR: ['bad_request', 'leads through something that is not a folder.'],
  ENXIO: ['bad_request', 'is not a file of text or data.'],
  EPERM: ['forbidden', 'cannot be used: the system does not permit it.'],
  EROFS: ['forbidden', 'cannot be written: the file system is read-only.'],
}

/** Returns the code of a system error, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Runs an operation on a path. Converts system errors to messages without absolute paths. */
export async function explainFailures<Result>(
  shown: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    const systems = isMillraceError(cause) ? undefined : systemCode(cause)
    if (systems === undefined) throw cause
    const [code, meaning] = explanations[systems] ?? ['internal', `cannot be used (${systems}).`]
    throw new MillraceError(code, `"${shown}" ${meaning}`, { cause })
  }
}
