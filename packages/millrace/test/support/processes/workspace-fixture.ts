import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runTool, type ToolAnswer } from '../../../src/tools/index.ts'
import {
  createWorkspaceTools,
  type WorkspaceOptions,
} from '../../../src/workspace/create-workspace-tools.ts'

/** A temporary folder with a workspace in it and space beside it. */
export interface WorkspaceFixture {
  /** The content outside the root. */
  readonly outside: string
  readonly root: string
  /** Writes a file, relative to the root. */
  put(path: string, content: string | Uint8Array): string
  /** Makes a named pipe, relative to the root. */
  putPipe(path: string): void
  read(path: string): string
  /** Every name below a folder, sorted. */
  names(folder?: string): string[]
  call(name: string, input: unknown, options?: CallOptions): Promise<ToolAnswer>
  remove(): void
}

/** The context of a call besides its arguments. */
export interface CallOptions {
  readonly signal?: AbortSignal
  readonly progress?: (message: string) => void
}

/** Creates a workspace on the disk, and tools for it. */
export function createWorkspaceFixture(options: Partial<WorkspaceOptions> = {}): WorkspaceFixture {
  const top = mkdtempSync(join(tmpdir(), 'millrace-workspace-'))
  const root = join(top, 'root')
  const outside = join(top, 'outside')
  mkdirSync(root)
  mkdirSync(outside)
  const tools = createWorkspaceTools({ root, ...options })
  return {
    root,
    outside,
    put(path, content) {
      const full = join(root, path)
      mkdirSync(dirname(full), { recursive: true })
      writeFileSync(full, content)
      return full
    },
    putPipe: (path) => void execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', join(root, path)]),
    read: (path) => readFileSync(join(root, path), 'utf8'),
    names: (folder = root) => [...namesBelow(folder)].sort(),
    call(name, input, { signal = new AbortController().signal, progress = () => {} } = {}) {
      const tool = tools.find(({ schema }) => schema.name === name)
      if (tool?.kind !== 'backend') throw new Error(`there is no tool ${name}`)
      const call = { id: 'call_1', name, inputText: JSON.stringify(input) }
      return runTool(tool, call, {
        signal,
        progress,
        idempotencyKey: 'run/call_1',
        agent: 'a1',
        onError: () => {},
      })
    },
    remove: () => rmSync(top, { recursive: true, force: true }),
  }
}

/** Links are listed like files; the content of their targets is not. */
function* namesBelow(folder: string, above = ''): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    yield above + entry.name
    if (entry.isDirectory()) yield* namesBelow(join(folder, entry.name), `${above}${entry.name}/`)
  }
}
