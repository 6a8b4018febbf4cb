import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileKeeper } from 'millrace/agent'
import { isJsonObject } from 'millrace'
import type { FileSource } from 'millrace/server'
import type { Tool } from 'millrace/agent'
import { createWorkspaceTools } from 'millrace/workspace'
import { makeOwnedFolder } from './owned-folder.ts'

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
