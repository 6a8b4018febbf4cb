import { byteLength, readBytes } from './base64-bytes.ts'

/** Number of bytes read at each end. In most files, the page tree is at one of them. */
const WINDOW_BYTES = 1024 * 1024
/** Assumed size of a page with pictures, for files with a compressed page tree. */
const BYTES_PER_PAGE = 50_000
/** Maximum number of pages that model APIs accept. */
const MAX_PAGES = 600

/** Estimates the number of pages of a PDF in base64, between 1 and 600, without decoding all of a large file. */
export function estimatePdfPages(data: string): number {
  const size = byteLength(data)
  const first = readBytes(data, 0, WINDOW_BYTES)
  const rest = Math.max(WINDOW_BYTES, size - WINDOW_BYTES)
  const last = size > WINDOW_BYTES ? readBytes(data, rest, WINDOW_BYTES) : ''
  const declared = Math.max(linearizedPages(first), treePages(first), treePages(last))
  const seen = countPages(first) + countPages(last)
  const pages = Math.max(declared, seen) || Math.ceil(size / BYTES_PER_PAGE)
  return Math.min(Math.max(pages, 1), MAX_PAGES)
}

/** Reads the page count from the header of a linearized file. */
function linearizedPages(text: string): number {
  const start = text.slice(0, 1024)
  return start.includes('/Linearized') ? Number(/\/N\s+(\d{1,6})/.exec(start)?.[1] ?? 0) : 0
}

/** Reads the page count of the tree. The root counts all its leaves, so the largest count is the total. */
function treePages(text: string): number {
  let most = 0
  for (const object of text.split('endobj')) {
    if (!/\/Type\s*\/Pages/.test(object)) continue
    most = Math.max(most, Number(/\/Count\s+(\d{1,6})/.exec(object)?.[1] ?? 0))
  }
  return most
}

function countPages(text: string): number {
  return text.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0
}
