import type { Dirent } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { defineTool, type Tool } from '../../tools/index.ts'
import { truncateText } from '../truncate-text.ts'
import { needsApproval, type Workspace } from '../workspace.ts'
import { flag, optionalText, toInputSchema, whole } from '../parameters.ts'
import { explainFailures } from '../paths/explain-failures.ts'
import { type FolderContent, readFolder } from '../paths/open-inside.ts'
import { type Root, showName } from '../paths/root.ts'
import { resolveFolder } from '../paths/resolve-path.ts'
import { isSkipped } from './walk.ts'

interface Node {
  readonly name: string
  readonly path: string
  readonly depth: number
  readonly children: Node[]
  /** Suffix of the name. */
  note: string
}

/** Creates the tool `list_dir`. */
export function createListDirTool(workspace: Workspace): Tool {
  const { root, limits } = workspace
  return defineTool({
    name: 'list_dir',
    description:
      'Lists a folder of the workspace as a tree, sorted by name. Folders end with "/", links show where they lead.',
    input: toInputSchema({
      path: optionalText(
        'The folder, relative to the root of the workspace; "." for the root',
        '.',
      ),
      depth: whole('How many levels to show', {
        absent: 2,
        minimum: 1,
        maximum: limits.maxListDepth,
      }),
      all: flag('Whether to look into .git and node_modules too'),
    }),
    idempotent: true,
    needsApproval: needsApproval(workspace, 'reads'),
    run: async ({ path, depth, all }, { signal }) => {
      const place = await resolveFolder(root, path === '' ? '.' : path)
      const top: Node = { name: place.shown, path: place.path, depth: 0, children: [], note: '/' }
      const isCut = await explainFailures(place.shown, () =>
        readTree(workspace, top, { depth, all, signal }),
      )
      const text = truncateText([...formatTree(top)].join('\n'), limits.maxOutputChars)
      return isCut ? `${text}\n[not all is shown; list a folder below, or use glob]` : text
    },
  })
}

/** Reads level by level, so that a large folder does not displace its siblings. Returns true if entries are omitted. */
async function readTree(
  workspace: Workspace,
  top: Node,
  { depth, all, signal }: { depth: number; all: boolean; signal: AbortSignal },
): Promise<boolean> {
  let left = workspace.limits.maxListEntries
  const queue = [top]
  for (const node of queue) {
    signal.throwIfAborted()
    if (node.depth === depth) continue
    if (node !== top && isSkipped(node.name) && !all) {
      node.note += ' (not shown)'
      continue
    }
    const content = await readInto(workspace, node, left)
    if (content === undefined) continue
    left -= node.children.length
    if (content.isCut || content.entries.length > node.children.length) return true
    queue.push(...node.children.filter(({ note }) => note === '/'))
  }
  return false
}

async function readInto(
  { root, limits }: Workspace,
  node: Node,
  left: number,
): Promise<FolderContent | undefined> {
  try {
    const content = await readFolder(root, node.path, limits.maxWalkEntries)
    for (const entry of content.entries.slice(0, left)) {
      const path = join(node.path, entry.name)
      const note = await describeEntry(root, path, entry)
      node.children.push({ name: entry.name, path, depth: node.depth + 1, children: [], note })
    }
    return content
  } catch (error) {
    if (node.depth === 0) throw error
    node.note += ' (cannot be read)'
    return undefined
  }
}

async function describeEntry(root: Root, path: string, entry: Dirent): Promise<string> {
  if (entry.isDirectory()) return '/'
  if (entry.isFile()) return ''
  return entry.isSymbolicLink() ? describeLink(root, path) : ' (not a regular file)'
}

async function describeLink(root: Root, path: string): Promise<string> {
  const end = await realpath(path).catch(() => undefined)
  if (end === undefined) return ' -> (nothing)'
  return root.contains(end) ? ` -> ${root.show(end)}` : ' -> (outside the workspace)'
}

function* formatTree(node: Node): Generator<string> {
  yield `${'  '.repeat(node.depth)}${showName(node.name)}${node.note}`
  for (const child of node.children) yield* formatTree(child)
}
