import { SECTION_END, SECTION_START } from '../escaping/layers.ts'
import type { Tag } from '../tags.ts'
import type { BlockWriter } from './block-writer.ts'
import { createCollectedText, isMarkerCut } from './collected-text.ts'
import type { RawAttributes } from './open-tag.ts'

/** Finds the end of an element whose body arrives in chunks; reads every unit once. */
interface ElementScanner {
  /** Reads text and returns the first unread position; unless closed, the rest must be passed again. */
  scan(source: string, from: number): number
  readonly isClosed: boolean
  /** Length of the body that has not been taken. */
  readonly bodyLength: number
  /** Removes and returns the body read so far, without the closing tag. */
  takeBody(): string
}

/**
 * Position of the scanner: between sections, in a section, or after a `]]>` that may be text, because the old
 * formatter did not escape it. [XML-10]
 */
type Place = 'content' | 'section' | 'section_end' | 'closed'

/** The markers of a position, and the position after each. */
type Markers = ReadonlyMap<string, Place>

/** Creates the scanner for the body of one element. */
function createElementScanner(tag: Tag): ElementScanner {
  const { markers, endMarkers } = markersOf(tag)
  const afterSection: Place = tag.layer === 'formatter' ? 'section_end' : 'content'
  const body = createCollectedText()
  let place: Place = 'content'
  let at = 0

  function keep(source: string, end: number): void {
    body.add(source, at, end)
    at = end
  }

  /**
   * In a section: searches for its end.
   * <![CDATA[a > b]]></content-block-error>
   * ^
   */
  function readSection(source: string): boolean {
    const end = source.indexOf(SECTION_END, at)
    keep(source, end < 0 ? Math.max(at, incompleteSectionEnd(source)) : end + SECTION_END.length)
    if (end >= 0) place = afterSection
    return end >= 0
  }

  /**
   * Between sections: only a section start or the closing tag has a meaning.
   * <![CDATA[a > b]]>&#13;<![CDATA[c]]></content-block-tool_result>
   * ^
   */
  function readContent(source: string): boolean {
    const start = source.indexOf('<', at)
    keep(source, start < 0 ? source.length : start)
    if (start < 0 || isAnyMarkerCut(markers, source, at)) return false
    if (!passMarker(markers, source)) keep(source, at + 1)
    return true
  }

  /**
   * After a `]]>`, which ends the section only if a section or a closing tag follows.
   * <![CDATA[if (a[b[0]]>1) {}]]></content-block-error>
   * ^
   */
  function readSectionEnd(source: string): boolean {
    keep(source, findNotBlank(source, at))
    if (at === source.length || isAnyMarkerCut(endMarkers, source, at)) return false
    if (!passMarker(endMarkers, source)) place = 'section'
    return true
  }

  function passMarker(known: Markers, source: string): boolean {
    const marker = [...known.keys()].find((each) => source.startsWith(each, at))
    if (marker === undefined) return false
    place = known.get(marker) ?? place
    if (place === 'closed') at += marker.length
    else keep(source, at + marker.length)
    return true
  }

  const steps: Readonly<Record<Place, (source: string) => boolean>> = {
    content: readContent,
    section: readSection,
    section_end: readSectionEnd,
    closed: () => false,
  }

  return {
    get isClosed() {
      return place === 'closed'
    },
    get bodyLength() {
      return body.length
    },
    scan(source, from) {
      at = from
      while (steps[place](source));
      return at
    },
    takeBody: () => body.take(),
  }
}

function markersOf({ closer, shape }: Tag): { markers: Markers; endMarkers: Markers } {
  const markers: [string, Place][] = [
    [SECTION_START, 'section'],
    [closer, 'closed'],
  ]
  const citationEnd: [string, Place][] = shape === 'citations' ? [['</citation>', 'content']] : []
  return { markers: new Map(markers), endMarkers: new Map([...markers, ...citationEnd]) }
}

const NOT_BLANK = /[^ \t\r\n]|$/g

function findNotBlank(source: string, from: number): number {
  NOT_BLANK.lastIndex = from
  return NOT_BLANK.exec(source)?.index ?? source.length
}

function isAnyMarkerCut(known: Markers, source: string, start: number): boolean {
  return [...known.keys()].some((marker) => isMarkerCut(marker, source, start))
}

function incompleteSectionEnd(source: string): number {
  if (source.endsWith(']]')) return source.length - 2
  return source.endsWith(']') ? source.length - 1 : source.length
}

/** The opening tag of an element, parsed and as text. */
export interface Opening {
  readonly tag: Tag
  readonly attributes: RawAttributes
  readonly source: string
}

/** Collects the body of one element up to its closing tag, within a bound. */
export interface ElementCollector {
  /** Reads text and returns the first unread position; unless closed, the rest must be passed again. */
  feed(source: string, from: number): number
  readonly isClosed: boolean
  /** Ends the element at the end of the stream, with the unread text. [XML-15] */
  finish(rest: string): void
}

/**
 * Creates the collector of one element. An element over the limit becomes text, up to and including its closing
 * tag, so that its content is never read as structure. [XML-22]
 */
export function createElementCollector(
  { tag, attributes, source: opener }: Opening,
  writer: BlockWriter,
  maxLength: number,
): ElementCollector {
  const scanner = createElementScanner(tag)
  let isText = false

  function spill(): void {
    if (!isText) writer.addText(opener)
    isText = true
    writer.addText(scanner.takeBody())
  }

  function close(): void {
    if (!isText) writer.addElement({ tag, attributes, body: scanner.takeBody() })
    else writer.addText(tag.closer)
  }

  return {
    get isClosed() {
      return scanner.isClosed
    },
    feed(source, from) {
      const at = scanner.scan(source, from)
      if (isText || scanner.bodyLength > maxLength) spill()
      if (scanner.isClosed) close()
      return at
    },
    finish(rest) {
      // The rest of a section is text; a cut tag between sections is not.
      const kept = rest.startsWith('<') ? '' : rest
      if (isText) writer.addText(scanner.takeBody() + rest)
      else writer.addElement({ tag, attributes, body: scanner.takeBody() + kept, isCut: true })
    },
  }
}
