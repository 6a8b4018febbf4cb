import { SECTION_END, SECTION_START } from './cdata.ts'
import { copyOut } from './copy-out.ts'
import type { Tag } from './tags.ts'
import { isTorn } from './torn.ts'

/** Finds the end of an element whose body comes in pieces, reading every unit once. */
export interface ElementScanner {
  /** Takes text and tells the first unit it did not take; unless closed, that and the rest must come again. */
  scan(source: string, from: number): number
  readonly isClosed: boolean
  /** How long the body is that has not been taken out. */
  readonly bodyLength: number
  /** Takes out the body read so far, without the closing tag. */
  takeBody(): string
}

/**
 * Where the scanner stands: between sections, in a section, or behind a `]]>` that may not be the section's
 * end because the old formatter did not protect it. [XML-10]
 */
type Place = 'content' | 'section' | 'section_end' | 'closed'

/** What may stand in a place, and where it leads. */
type Markers = Readonly<Record<string, Place>>

const NOT_BLANK = /[^ \t\r\n]/g

/** Creates the scanner for the body of one element. */
export function createElementScanner({ closer, layer, shape }: Tag): ElementScanner {
  const afterSection: Place = layer === 'formatter' ? 'section_end' : 'content'
  const markers: Markers = { [SECTION_START]: 'section', [closer]: 'closed' }
  const endMarkers: Markers =
    shape === 'citations' ? { ...markers, '</citation>': 'content' } : markers
  let parts: string[] = []
  let bodyLength = 0
  let place: Place = 'content'
  let at = 0

  function keep(source: string, end: number): void {
    if (end > at) parts.push(copyOut(source, at, end))
    bodyLength += end - at
    at = end
  }

  /**
   * In a section, looking for its end.
   *
   *     <![CDATA[a > b]]></content-block-error>
   *              ^
   */
  function skipSection(source: string): boolean {
    const end = source.indexOf(SECTION_END, at)
    keep(source, end < 0 ? Math.max(at, tornSectionEnd(source)) : end + SECTION_END.length)
    if (end >= 0) place = afterSection
    return end >= 0
  }

  /**
   * Between sections, where only a section or the closing tag means something.
   *
   *     <![CDATA[a > b]]>&#13;<![CDATA[c]]></content-block-tool_result>
   *                      ^
   */
  function readContent(source: string): boolean {
    const start = source.indexOf('<', at)
    keep(source, start < 0 ? source.length : start)
    if (start < 0 || isTornMarker(markers, source, start)) return false
    if (!passMarker(markers, source)) keep(source, start + 1)
    return place !== 'closed'
  }

  /**
   * Behind what is the end of a section only if a section or a closing tag follows.
   *
   *     <![CDATA[if (a[b[0]]>1) {}]]></content-block-error>
   *                        ^
   */
  function readSectionEnd(source: string): boolean {
    const start = findNotBlank(source, at)
    keep(source, start < 0 ? source.length : start)
    if (start < 0 || isTornMarker(endMarkers, source, start)) return false
    if (!passMarker(endMarkers, source)) place = 'section'
    return place !== 'closed'
  }

  function passMarker(known: Markers, source: string): boolean {
    for (const [marker, next] of Object.entries(known)) {
      if (!source.startsWith(marker, at)) continue
      if (next === 'closed') at += marker.length
      else keep(source, at + marker.length)
      place = next
      return true
    }
    return false
  }

  const steps = {
    content: readContent,
    section: skipSection,
    section_end: readSectionEnd,
    closed: () => false,
  } as const satisfies Record<Place, (source: string) => boolean>

  return {
    get isClosed() {
      return place === 'closed'
    },
    get bodyLength() {
      return bodyLength
    },
    scan(source, from) {
      at = from
      while (steps[place](source));
      return at
    },
    takeBody() {
      const body = parts.join('')
      parts = []
      bodyLength = 0
      return body
    },
  }
}

function findNotBlank(source: string, from: number): number {
  NOT_BLANK.lastIndex = from
  return NOT_BLANK.exec(source)?.index ?? -1
}

function isTornMarker(known: Markers, source: string, start: number): boolean {
  return Object.keys(known).some((marker) => isTorn(marker, source, start))
}

function tornSectionEnd(source: string): number {
  if (source.endsWith(']]')) return source.length - 2
  return source.endsWith(']') ? source.length - 1 : source.length
}
