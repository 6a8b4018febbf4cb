import { join } from 'node:path'
import { MillraceError } from '../../errors/index.ts'
import { defineTool, type Tool } from '../../tools/index.ts'
import { needsApproval, type Workspace } from '../workspace.ts'
import { text, toInputSchema } from '../parameters.ts'
import { resolveTarget } from '../paths/resolve-path.ts'
import { replaceFile } from './replace-file.ts'

/** Creates the tool `write_file`. */
export function createWriteFileTool(workspace: Workspace): Tool {
  const { root, limits, lock } = workspace
  return defineTool({
    name: 'write_file',
    description:
      'Writes a file of the workspace and replaces its content. Creates missing folders. ' +
      'To change a part of a file, use patch_file.',
    input: toInputSchema({
      path: text('The file, relative to the root of the workspace'),
      content: text('The complete content of the file', { allowsEmpty: true }),
    }),
    idempotent: true,
    needsApproval: needsApproval(workspace, 'changes'),
    run: async ({ path, content }, { signal }) => {
      const bytes = toBytes(content, limits.maxWriteBytes)
      const key = await keyOf(workspace, path)
      return lock.hold(key, async () => {
        const target = await resolveTarget(root, path)
        await replaceFile(root, target, { bytes, signal })
        const verb = target.exists ? 'Replaced' : 'Created'
        return `${verb} ${target.shown}: ${count(countLines(content), 'line')}, ${count(bytes.length, 'byte')}.`
      })
    },
  })
}

/** Returns the lock key of a file. All links to it give the same key. */
export async function keyOf({ root }: Workspace, path: string): Promise<string> {
  const { folder, names } = await resolveTarget(root, path)
  return join(folder, ...names)
}

/** Encodes a text. Throws `payload_too_large` above the limit. */
export function toBytes(content: string, maxBytes: number): Buffer {
  const size = Buffer.byteLength(content)
  if (size <= maxBytes) return Buffer.from(content)
  throw new MillraceError(
    'payload_too_large',
    `The file would have ${size} bytes; the maximum is ${maxBytes}.`,
  )
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}

function countLines(content: string): number {
  const ends = content.match(/\n/g)?.length ?? 0
  return content === '' || content.endsWith('\n') ? ends : ends + 1
}
