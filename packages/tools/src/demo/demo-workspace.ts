import { mkdir, rm, writeFile, mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileKeeper, Tool } from 'millrace/agent'
import { isJsonObject } from 'millrace'
import type { FileSource } from 'millrace/server'
import { createWorkspaceTools } from 'millrace/workspace'
import { tmpdir } from 'node:os'
import { createProcessOwner } from 'millrace/node'

/** The temporary folder of the demo agent. */
export interface DemoWorkspace {
  readonly root: string
  /** The tools that read and write in it; writes need approval, except drafts. */
  readonly tools: readonly Tool[]
  /** Creates a keeper that copies provider files to `files/`, where the tools find them. */
  createKeeper(files: FileSource): FileKeeper
  close(): Promise<void>
}

/** Creates a temporary folder, and removes those of killed servers. */
export async function openDemoWorkspace(): Promise<DemoWorkspace> {
  const root = await makeOwnedFolder()
  return {
    root,
    tools: createWorkspaceTools({ root, shell: false }).map(allowDrafts),
    createKeeper: (files) => createKeeper(root, files),
    close: () => rm(root, { recursive: true, force: true }),
  }
}

/** Drafts need no approval, so that only important writes need a user. */
function allowDrafts(tool: Tool): Tool {
  if (tool.schema.name !== 'write_file') return tool
  const needsApproval: Tool['needsApproval'] = async (input) =>
    !isDraft(input) && (await tool.needsApproval(input))
  return { ...tool, needsApproval }
}

function isDraft(input: unknown): boolean {
  const path = isJsonObject(input) ? input['path'] : undefined
  return typeof path === 'string' && /^drafts\/[\w-]+(\.[\w-]+)*$/.test(path)
}

function createKeeper(root: string, files: FileSource): FileKeeper {
  return {
    async keep({ fileId }, { signal }) {
      const { filename, bytes } = await files.read(fileId, { signal })
      await mkdir(join(root, 'files'), { recursive: true })
      await writeFile(join(root, 'files', toSafeName(filename) || fileId), bytes, { signal })
      // The server stores a copy for users, with its own location.
      return { fileId, filename, storageLocation: '' }
    },
  }
}

/** Foreign names may contain a path, or be empty. */
function toSafeName(filename: string): string {
  return filename
    .replace(/^.*[\\/]/s, '')
    .replaceAll(/[^\w.-]/g, '_')
    .replace(/^\.+/, '')
    .slice(0, 100)
}

const prefix = 'millrace-demo-'

/** The owner's name, with characters that file names allow, and the suffix of `mkdtemp`. */
const ownedName = /^millrace-demo-(.+)_(\d+)_(@?\d+)-\w{6}$/

/** Creates a temporary folder named after this process, and removes those of processes that were killed. */
export async function makeOwnedFolder(parent: string = tmpdir()): Promise<string> {
  const { node, isGone } = createProcessOwner()
  await sweep(parent, isGone)
  const mark = node.replaceAll(':', '_').replaceAll('/', '-')
  return mkdtemp(join(parent, `${prefix}${mark}-`))
}

async function sweep(parent: string, isGone: (owner: string) => boolean): Promise<void> {
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const owner = entry.isDirectory() ? decodeOwner(entry.name) : undefined
    if (owner === undefined || !isGone(owner)) continue
    // A folder of another user stays.
    await rm(join(parent, entry.name), { recursive: true, force: true }).catch(() => {})
  }
}

function decodeOwner(name: string): string | undefined {
  const found = ownedName.exec(name)
  return found === null ? undefined : found.slice(1).join(':')
}
