import type { Mark, Place } from './engine/scan/marker.ts'
import type { Opening, Reader, Reading } from './engine/reader.ts'
import type { ParameterType } from './parameter-types.ts'
import type { SegmentType } from './segment-event.ts'

export type { Mark, Place }

/** A notation in which models write calls, files or reasoning into their text. */
export interface Format {
  readonly name: string
  readonly blocks: readonly FormatBlock[]
}

/** A kind of block: its opener and its body. */
export interface FormatBlock {
  readonly open: Open
  readonly body: Body
  /** Begins with a special token, which prose does not contain: it counts inside code too. */
  readonly control?: boolean
  /** Closing markers that are dropped in text without their opener. */
  readonly orphans?: readonly string[]
}

/** The opener of a block. */
export type Open =
  | { readonly literal: string | readonly string[]; readonly at?: Place }
  | TagOpen
  /** `<function=` followed by a name and `>`, or another `end`. */
  | { readonly assign: string; readonly end?: string }
  /** A marker, a JSON object with a `type`, and an end: the sentinel of the streaming parser design. */
  | { readonly header: string; readonly end: string }
  /** `<arg_key>name</arg_key><arg_value>`: the name of a field in its own tag. */
  | { readonly pair: readonly [keyOpen: string, keyClose: string, valueOpen: string] }
  /** No marker; `probe` looks ahead, consumes nothing and returns whether the block begins here. */
  | ProbeOpen

/** A block that begins with one of the characters in `first`, if its probe returns true. */
interface ProbeOpen {
  readonly probe: Probe
  readonly first: string
  readonly at: Place
  /** The block is JSON with calls: other text is not even probed. */
  readonly isJson?: boolean
}

/** `<name key="value">`; a name must match completely, and the tag counts only if no attribute in `require` is missing or empty. */
export interface TagOpen {
  /** The name, or one of several; `*` matches any. */
  readonly tag: string | readonly string[]
  /** The text before the name; default: `<`. */
  readonly prefix?: string
  /** The end of the tag; default: `>`. */
  readonly end?: string
  /** Names of tags and attributes match in any ASCII case. */
  readonly anyCase?: boolean
  readonly require?: readonly string[]
}

/** Checks whether a block begins at the position; looks no further than `limits.maxProbe`. */
type Probe = (reader: Reader) => Reading<boolean>

/** The body of a block. */
export type Body =
  | { readonly raw: RawBody }
  | { readonly arguments: ArgumentsBody }
  | { readonly calls: CallsBody }
  | { readonly fields: FieldsBody }
  | { readonly wrapper: WrapperBody }
  | { readonly named: NamedBody }
  | { readonly switch: readonly SwitchCase[] }
  | { readonly tools: ToolBodies }
  | { readonly custom: CustomBody }

/** Text up to a closing marker. */
export interface RawBody {
  /** The type of the segment, or the attribute whose value determines it. */
  readonly segment: SegmentType | SegmentByAttribute
  /** Metadata from attributes: `{ path: 'filePath' }`; of several names, the first that is present. */
  readonly metadata?: Readonly<Record<string, string | readonly string[]>>
  /** Types of metadata that is not text. */
  readonly types?: Readonly<Record<string, ParameterType>>
  readonly close: readonly Mark[]
  /** Further markers that end the block and are not read, such as the closing tag of the parent. */
  readonly endsBefore?: readonly Mark[]
  /** Markers inside that are dropped, such as a second opener. */
  readonly absorb?: readonly string[]
  /** Delimiters of ranges in which nothing closes the block, such as CDATA; they stay in the content. */
  readonly opaque?: readonly [open: string, close: string]
  /** `newline` drops one line break after the opener and one before the closer. */
  readonly trim?: Trim
}

type Trim = 'nothing' | 'newline'

interface SegmentByAttribute {
  readonly attribute: string
  readonly values: Readonly<Record<string, SegmentType>>
}

/** JSON arguments; the opener carries the tool's name. */
export interface ArgumentsBody {
  /** The attribute with the name, if the opener has attributes. */
  readonly name?: string
  readonly close?: readonly Mark[]
  /** Closing markers of the parent, which end the block too. */
  readonly endsBefore?: readonly Mark[]
}

/** JSON that contains the tool's name: one call, or a list of them. */
export interface CallsBody {
  readonly close?: readonly Mark[]
  readonly endsBefore?: readonly Mark[]
  /** Separators between JSON values, such as `;`. */
  readonly separators?: readonly string[]
  /** The name is the key: `{"tool": {"argument": 1}}`. */
  readonly nameIsKey?: boolean
}

/** Arguments in tags of their own. */
export interface FieldsBody {
  /** The attribute of the opener with the tool's name; default: the name of the opener. */
  readonly name?: string
  readonly field: Open | readonly Open[]
  /** The attribute with the key; default: the name of the field's opener. */
  readonly key?: string
  /** The end of a value, `tag` for the end tag of the field. It counts only if the call can continue after it. */
  readonly close: string
  /** Returns the type of the value from the field's opener; undefined selects the type of the tool's parameter, otherwise text. */
  readonly type?: (opening: Opening) => ParameterType | 'json' | undefined
  readonly trim?: Trim
  /** Keys and end tags of fields match in any ASCII case. */
  readonly anyCase?: boolean
  /** The end of the call. */
  readonly end: readonly Mark[]
  /** Closing markers of the parent, which end the call too. */
  readonly endsBefore?: readonly Mark[]
  /** Markers between fields without a meaning, such as a wrapper of the arguments. */
  readonly skip?: readonly Mark[]
  /** A value without an end is over where the next field begins, or where the call ends. */
  readonly isImplicit?: boolean
  /** Markers that may follow the end of the call, for values without an end. */
  readonly after?: readonly string[]
  /** The opener is an ordinary tag: only the text after it shows that it is a call. */
  readonly isTag?: boolean
  /** The opener is always a call, regardless of the text after it. */
  readonly isCertain?: boolean
  /** Values are XML: trimmed and with entities, except in CDATA or markers, and the content of a projected call. */
  readonly xml?: { readonly markers: readonly (readonly [open: string, close: string])[] }
}

/** Blocks inside a block, with space between them. */
export interface WrapperBody {
  readonly close: readonly Mark[]
  readonly blocks: readonly FormatBlock[]
  /** Text between the blocks does not end the wrapper. */
  readonly isLoose?: boolean
}

/** Text with the name before the body: `functions.search:0<|argument_begin|>{}`. */
export interface NamedBody {
  /** Markers that end the name and are dropped. */
  readonly until: readonly string[]
  /** Markers that end the name and begin the body. */
  readonly keep?: readonly string[]
  /** The name alone may be the whole call, so it must have no space around it: a word in prose has some. */
  readonly isBare?: boolean
  /** Groups `name` and, if the format has ids, `id`; a header that does not match is text. */
  readonly pattern: RegExp
  readonly body: Body
}

/** A body that is selected by its first character after white space. */
export interface SwitchCase {
  readonly first: RegExp
  readonly body: Body
}

/** A body that is selected by the tool that an attribute of the opener names. */
export interface ToolBodies {
  /** The attribute with the tool's name. */
  readonly name: string
  /** Bodies by tool name, in any ASCII case. */
  readonly states?: Readonly<Record<string, Body>>
  /** The body of any other projected tool; default: `otherwise`. */
  readonly projected?: Body
  /** The body of all other tools. */
  readonly otherwise: Body
}

/** A body as a function, for notations that no other kind describes. Returns false, having accepted nothing, if there is no block. */
export type CustomBody = (reader: Reader, opening: Opening) => Reading<boolean>
