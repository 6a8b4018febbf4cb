import { byteLength, readBytes } from './base64-bytes.ts'

/** So much is read at either end: the tree of pages stands at one of them in most files. */
const WINDOW_BYTES = 1024 * 1024
/** A page with some pictures, for files that say nothing of their pages in the open. */
const BYTES_PER_PAGE = 50_000
/** No model API takes more. */
const MAX_PAGES = 600

/** Estimates the pages of a PDF from its base64 text, between 1 and 600, without reading all of a large one. */
export function estimatePdfPages(data: string): number {
  const size = byteLength(data)
  const first = readBytes(data, 0, WINDOW_BYTES)
  const rest = Math.max(WINDOW_BYTES, size - WINDOW_BYTES)
  const last = size > WINDOW_BYTES ? readBytes(data, rest, WINDOW_BYTES) : ''
  const told = Math.max(linearizedPages(first), treePages(first), treePages(last))
  const seen = countPages(first) + countPages(last)
  const pages = Math.max(told, seen) || Math.ceil(size / BYTES_PER_PAGE)
  return Math.min(Math.max(pages, 1), MAX_PAGES)
}

/** A file for the web says first how many pages it has. */
function linearizedPages(text: string): number {
  const start = text.slice(0, 1024)
  return start.includes('/Linearized') ? Number(/\/N\s+(\d{1,6})/.exec(start)?.[1] ?? 0) : 0
}

/** The root of the tree counts all its leaves, so the largest count is that of the file. */
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
