import { escapeBackslashes, unescapeBackslashes } from './backslashes.ts'
import {
  decodeSections,
  unescapeResultSection,
  unwrapLastSection,
  wrapPlainSections,
  wrapResultSections,
  wrapSection,
} from './cdata.ts'
import { decodeEntities, encodeEntities, encodeReference } from './entities.ts'
import { replaceEvery, incompletePair } from './replace-every.ts'
import type { Layer } from '../tags.ts'

/** Encoder and decoder of values in one part of the old system. */
export interface LayerCodec {
  readonly decodeAttribute: (raw: string) => string
  readonly encodeAttribute: (value: string) => string
  readonly decodeBody: (body: string) => string
  readonly encodeBody: (text: string) => string
}

const UNSAFE_UNITS = /[\n\r\ud800-\udfff]/gu

function encodeAgentAttribute(value: string): string {
  return replaceEvery(encodeEntities(value), UNSAFE_UNITS, encodeReference, incompletePair)
}

function decodeFormatterBody(body: string): string {
  const content = unwrapLastSection(body)
  return content === undefined
    ? decodeSections(unescapeBackslashes(body), (section) => section)
    : unescapeBackslashes(content)
}

/** The escaping of every layer, as the old encoder did it, made exact. [XML-7] [XML-8] [XML-9] */
export const layers: Readonly<Record<Layer, LayerCodec>> = {
  formatter: {
    decodeAttribute: (raw) => decodeEntities(unescapeBackslashes(raw)),
    encodeAttribute: (value) => escapeBackslashes(encodeEntities(value)),
    decodeBody: decodeFormatterBody,
    encodeBody: (text) => wrapSection(escapeBackslashes(text)),
  },
  result: {
    decodeAttribute: decodeEntities,
    encodeAttribute: encodeAgentAttribute,
    decodeBody: (body) => decodeSections(body, unescapeResultSection),
    encodeBody: wrapResultSections,
  },
  plain: {
    decodeAttribute: decodeEntities,
    encodeAttribute: encodeAgentAttribute,
    decodeBody: (body) => decodeSections(body, (section) => section),
    encodeBody: wrapPlainSections,
  },
}
