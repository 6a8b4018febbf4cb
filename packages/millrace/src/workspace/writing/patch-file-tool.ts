import { badRequest, MillraceError } from '../../errors/index.ts'
import { defineTool, type Tool } from '../../tools/index.ts'
import { needsApproval, type Workspace } from '../workspace.ts'
import { text, toInputSchema } from '../parameters.ts'
import { withFile } from '../paths/open-inside.ts'
import { resolveTarget } from '../paths/resolve-path.ts'
import { nonTextReason, readBytes } from '../reading/read-bytes.ts'
import { applyHunks } from './apply-hunks.ts'
import { type FilePatch, readPatch } from './read-patch.ts'
import { replaceFile } from './replace-file.ts'
import { keyOf, toBytes } from './write-file-tool.ts'

/** Precedes the first line of some files. Patches do not contain it. */
const BYTE_ORDER_MARK = '\ufeff'

/** Maximum number of notes that are listed. */
const SHOWN_NOTES = 5

/** Creates the tool `patch_file`. */
export function createPatchFileTool(workspace: Workspace): Tool {
  const { limits, lock } = workspace
  return defineTool({
    name: 'patch_file',
    description:
      'Changes parts of one file of the workspace with a unified diff. Lines that stay or go must be as the ' +
      'file has them; line numbers may be off. All hunks are applied, or none.',
    input: toInputSchema({
      path: text('The file, relative to the root of the workspace'),
      patch: text('A unified diff of this file: hunks with "@@ -3,4 +3,5 @@" before each'),
    }),
    needsApproval: needsApproval(workspace, 'changes'),
    run: async ({ path, patch }, { signal }) => {
      if (patch.length > limits.maxPatchChars) throw tooLarge(patch.length, limits.maxPatchChars)
      const read = readPatch(patch)
      const key = await keyOf(workspace, path)
      return lock.hold(key, () => change(workspace, path, read, signal))
    },
  })
}

async function change(
  workspace: Workspace,
  path: string,
  { hunks, creates }: FilePatch,
  signal: AbortSignal,
): Promise<string> {
  const { root, limits } = workspace
  const target = await resolveTarget(root, path)
  if (!target.exists && !creates) {
    throw new MillraceError(
      'not_found',
      `"${target.shown}" does not exist; use write_file to create it.`,
    )
  }
  if (target.exists && creates) {
    throw new MillraceError(
      'conflict',
      `"${target.shown}" already exists, but the patch creates a new file.`,
    )
  }
  const old = target.exists ? await readText(workspace, path, signal) : { text: '' }
  const mark = old.text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  const patched = applyHunks(old.text.slice(mark.length), hunks)
  const bytes = toBytes(mark + patched.text, limits.maxWriteBytes)
  await replaceFile(root, target, {
    bytes,
    signal,
    ...('stats' in old && { expected: old.stats }),
  })
  return `Patched ${target.shown}: ${describe(hunks)}${describeNotes(patched.notes)}.`
}

/** Reads a file without loss. Otherwise the patch would change other parts too. */
function readText({ root, limits }: Workspace, path: string, signal: AbortSignal) {
  return withFile(root, path, async (file) => {
    const bytes = await readBytes(file, { maxBytes: limits.maxWriteBytes, signal })
    const problem = nonTextReason(bytes)
    if (problem !== undefined) throw badRequest(`"${file.shown}" ${problem}`)
    try {
      const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
      return { text: decoder.decode(bytes), stats: file.stats }
    } catch (cause) {
      throw badRequest(
        `"${file.shown}" is not UTF-8 throughout, so a patch would damage it; use a command instead.`,
        { cause },
      )
    }
  })
}

function describe(hunks: FilePatch['hunks']): string {
  const steps = hunks.flatMap((hunk) => hunk.steps)
  const count = (kind: string) => steps.filter((step) => step.kind === kind).length
  const places = hunks.length === 1 ? '1 hunk' : `${hunks.length} hunks`
  return `${places}, +${count('add')} -${count('remove')} lines`
}

function describeNotes(notes: readonly string[]): string {
  if (notes.length === 0) return ''
  const surplus = notes.length - SHOWN_NOTES
  const shown = notes.slice(0, SHOWN_NOTES).join('; ')
  return ` (${shown}${surplus > 0 ? `; and ${surplus} more` : ''})`
}

function tooLarge(length: number, maxChars: number): MillraceError {
  return new MillraceError(
    'payload_too_large',
    `The patch has ${length} characters; the maximum is ${maxChars}. Send it in parts.`,
  )
}
