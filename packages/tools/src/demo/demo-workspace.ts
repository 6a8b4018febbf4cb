import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileKeeper } from 'millrace/agent'
import { isJsonObject } from 'millrace'
import type { FileSource } from 'millrace/server'
import type { Tool } from 'millrace/agent'
import { createWorkspaceTools } from 'millrace/workspace'
import { makeOwnedFolder } from './owned-folder.ts'

/** A folder of its own for the demo agent, gone when it is closed. */
export interface DemoWorkspace {
  readonly root: string
  /** The tools that read and write in it; a person is asked before anything but a draft is written. */
  readonly tools: readonly Tool[]
  /** Lays files that the provider has made under `files/`, where the tools find them. */
  createKeeper(files: FileSource): FileKeeper
  close(): Promise<void>
}

/** Opens a new folder among the temporary ones, and removes those that killed servers have left there. */
export async function openDemoWorkspace(): Promise<DemoWorkspace> {
  const root = await makeOwnedFolder()
  return {
    root,
    tools: createWorkspaceTools({ root, shell: false }).map(allowDrafts),
    createKeeper: (files) => createKeeper(root, files),
    close: () => rm(root, { recursive: true, force: true }),
  }
}

/** Drafts are written unasked, so that only what matters needs a person. */
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
      // The server keeps a copy for people and says where.
      return { fileId, filename, storageLocation: '' }
    },
  }
}

/** A name from elsewhere may hold a path, or be none at all. */
function toSafeName(filename: string): string {
  return filename
    .replace(/^.*[\\/]/s, '')
    .replaceAll(/[^\w.-]/g, '_')
    .replace(/^\.+/, '')
    .slice(0, 100)
}
