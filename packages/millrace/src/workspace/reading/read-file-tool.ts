import { badRequest, MillraceError } from '../../errors/index.ts'
import { defineTool, type RichOutput, type Tool } from '../../tools/index.ts'
import { needsApproval, type Workspace } from '../workspace.ts'
import { text, toInputSchema, whole } from '../parameters.ts'
import { type OpenFile, withFile } from '../paths/open-inside.ts'
import { imageTypeOf, nonTextReason, readBytes, readChunks } from './read-bytes.ts'
import { createLineWindow, type LineWindow } from './line-window.ts'

/** Larger files are not read to the end only to count their lines. */
const COUNTED_BYTES = 4_194_304

interface Wanted {
  readonly offset: number
  readonly limit: number
}

/** Creates the tool that reads a text file or some of its lines. */
export function createReadFileTool(workspace: Workspace): Tool {
  const { root, limits } = workspace
  const input = toInputSchema({
    path: text('The file, relative to the root of the workspace'),
    offset: whole('The first line to read, from 1', {
      absent: 1,
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
    limit: whole('How many lines to read', {
      absent: limits.maxReadLines,
      minimum: 1,
      maximum: limits.maxReadLines,
    }),
  })
  return defineTool({
    name: 'read_file',
    description:
      'Reads a text file of the workspace, with line numbers (a tab separates number and line). ' +
      'Large files are read in parts: give offset and limit.',
    input,
    idempotent: true,
    needsApproval: needsApproval(workspace, 'reads'),
    run: ({ path, ...wanted }, { signal }) =>
      withFile(root, path, (file) => readLines(workspace, file, wanted, signal)),
  })
}

async function readLines(
  { limits }: Workspace,
  file: OpenFile,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<string> {
  const { maxReadChars: maxChars, maxLineChars, maxScanBytes } = limits
  const window = createLineWindow({ ...wanted, maxChars, maxLineChars })
  const decoder = new TextDecoder()
  let size = 0
  for await (const chunk of readChunks(file, signal)) {
    if (size === 0) refuseBinary(file, chunk)
    size += chunk.length
    if (size > maxScanBytes) throw tooFar(file, maxScanBytes)
    window.feed(decoder.decode(chunk, { stream: true }))
    if (window.isFull && file.stats.size > COUNTED_BYTES) return describe(window, wanted)
  }
  window.feed(decoder.decode())
  window.finish()
  if (window.lines.length > 0) return describe(window, wanted, window.lineCount)
  if (window.lineCount === 0) return '(the file is empty)'
  throw badRequest(
    `"${file.shown}" has ${window.lineCount} lines; it has no line ${wanted.offset}.`,
  )
}

function refuseBinary({ shown }: OpenFile, chunk: Uint8Array): void {
  const problem = nonTextReason(chunk)
  if (problem !== undefined) throw badRequest(`"${shown}" ${problem}`)
}

function tooFar({ shown }: OpenFile, maxBytes: number): MillraceError {
  return new MillraceError(
    'payload_too_large',
    `"${shown}" is read only up to ${maxBytes} bytes, and these lines are after them; use a command (sed -n, tail).`,
  )
}

function describe(window: LineWindow, { offset }: Wanted, total?: number): string {
  const last = offset + window.lines.length - 1
  const isAll = offset === 1 && last === total
  const shown = window.lines.join('\n')
  const notes = [
    ...(isAll ? [] : [`lines ${offset} to ${last} of ${total ?? 'more'}`]),
    ...(last === total ? [] : [`continue with offset ${last + 1}`]),
    ...(window.hasCarriageReturns ? ['lines end with CRLF'] : []),
    ...(shown.includes('\ufffd') ? ['some bytes are not UTF-8 and are shown as \ufffd'] : []),
  ]
  return notes.length === 0 ? shown : `${shown}\n[${notes.join('; ')}]`
}

/** Creates the tool `read_image`. */
export function createReadImageTool(workspace: Workspace): Tool {
  const { root, limits } = workspace
  return defineTool({
    name: 'read_image',
    description: 'Shows an image of the workspace: PNG, JPEG, GIF or WebP.',
    input: toInputSchema({ path: text('The image, relative to the root of the workspace') }),
    idempotent: true,
    needsApproval: needsApproval(workspace, 'reads'),
    run: ({ path }, { signal }): Promise<RichOutput> =>
      withFile(root, path, async (file) => {
        const bytes = await readBytes(file, { maxBytes: limits.maxImageBytes, signal })
        const mediaType = imageTypeOf(bytes)
        if (mediaType === undefined) {
          throw badRequest(`"${file.shown}" is not a PNG, JPEG, GIF or WebP image.`)
        }
        return {
          text: `${file.shown}: ${mediaType}, ${bytes.length} bytes`,
          images: [{ data: bytes.toString('base64'), mediaType }],
        }
      }),
  })
}
