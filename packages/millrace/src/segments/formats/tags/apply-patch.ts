import { code } from '../../characters.ts'
import { Marker, MarkerSet } from '../../engine/scan/marker.ts'
import type { Reader, Reading } from '../../engine/reader.ts'
import type { SegmentWriter } from '../../engine/segment-output.ts'
import { Scan } from '../../engine/scan/scan.ts'
import { more } from '../../engine/scan/input-buffer.ts'
import type { Format } from '../../format.ts'

const FILE = /^\*\*\* (?:Add|Update|Delete) File: (?<path>.*)$/
const fileMarkers = ['Add', 'Update', 'Delete'].map(
  (verb) => new Marker(`*** ${verb} File: `, { at: 'line' }),
)
const end = new Marker('*** End Patch', { at: 'line' })
const markers = new MarkerSet([...fileMarkers, end])

/** The patch envelope of apply_patch, `*** Begin Patch`: each file in it is a segment with its hunks. */
export const applyPatch: Format = {
  name: 'apply-patch',
  blocks: [
    {
      open: { literal: ['*** Begin Patch\n', '*** Begin Patch\r\n'], at: 'line' },
      body: { custom: readPatch },
    },
  ],
}

function* readPatch(reader: Reader): Reading<boolean> {
  const first = yield* readFileLine(reader)
  if (first === undefined) return false
  let path: string | undefined = first
  while (path !== undefined) path = yield* readFile(reader, path)
  return true
}

/** Looks ahead at a line that names a file; the line stays part of the content. */
function* readFileLine(reader: Reader): Reading<string | undefined> {
  const start = reader.position
  const limit = start + reader.limits.maxHeader
  for (let at = start; at < limit; at++) {
    while (at >= reader.input.end && !reader.input.ended) yield more
    if (at >= reader.input.end) return undefined
    if (reader.input.codeAt(at) === code.newline) {
      return FILE.exec(reader.input.slice(start, at))?.groups?.['path']?.trimEnd()
    }
  }
  return undefined
}

/** Reads one file and returns the path of the next, if there is one. */
function* readFile(reader: Reader, path: string): Reading<string | undefined> {
  reader.accept()
  const segment = reader.segment('patch_file', { path })
  const scan = new Scan(markers, segment)
  scan.start(reader.position)
  // The scan finds the line of this file again at once: it is content.
  scan.foundAt = reader.position
  scan.reject()
  for (;;) {
    yield scan
    const marker = scan.found[0]
    reader.position = scan.foundAt
    if (marker === undefined || marker === end) return finish(reader, scan, segment)
    const next = yield* readFileLine(reader)
    if (next !== undefined) {
      segment.end()
      return next
    }
    scan.reject()
  }
}

function finish(reader: Reader, scan: Scan, segment: SegmentWriter): undefined {
  if (scan.found.length === 0) segment.end({ complete: false })
  else {
    reader.position = scan.endOf(end, reader.input)
    reader.accept()
    segment.end()
  }
}
