import type { Mark, Place } from './engine/marker.ts'
import type { Opening } from './engine/opening.ts'
import type { Reader } from './engine/reader.ts'
import type { Reading } from './engine/step.ts'
import type { ParameterType } from './parameter-types.ts'
import type { SegmentType } from './segment-event.ts'

export type { Mark, Place }

/** A notation in which models write calls, files or reasoning into their text. */
export interface Format {
  readonly name: string
  readonly blocks: readonly Block[]
}

/** One kind of block: how it begins and what is inside. */
export interface Block {
  readonly open: Open
  readonly body: Body
  /** Begins with a special token, which prose does not contain: it counts inside code too. */
  readonly control?: boolean
  /** Closing markers that are dropped where they stand alone in text. */
  readonly orphans?: readonly string[]
}

/** How a block begins. */
export type Open =
  | { readonly literal: string | readonly string[]; readonly at?: Place }
  | TagOpen
  /** `<function=` followed by a name and `>`, or another `end`. */
  | { readonly assign: string; readonly end?: string }
  /** A marker, a JSON object with a `type`, and an end: the sentinel of the streaming parser design. */
  | { readonly header: string; readonly end: string }
  /** `<arg_key>name</arg_key><arg_value>`: the name of a field in a tag of its own. */
  | { readonly pair: readonly [keyOpen: string, keyClose: string, valueOpen: string] }
  /** Nothing marks the block; `probe` looks ahead, consumes nothing and answers whether it begins here. */
  | ProbeOpen

/** A block that begins with one of the characters in `first`, if its probe says so. */
export interface ProbeOpen {
  readonly probe: Probe
  readonly first: string
  readonly at: Place
  /** The block is JSON with calls: what cannot be that is not even probed. */
  readonly isJson?: boolean
}

/** `<name key="value">`; a name counts only whole, and the tag only if no attribute in `require` is missing or empty. */
export interface TagOpen {
  /** The name, or one of several; `*` stands for any. */
  readonly tag: string | readonly string[]
  /** What stands before the name, `<` if nothing else is said. */
  readonly prefix?: string
  /** What ends the tag, `>` if nothing else is said. */
  readonly end?: string
  /** Names of tags and attributes count in any ASCII case. */
  readonly anyCase?: boolean
  readonly require?: readonly string[]
}

/** Whether a block begins at the position; it looks no further than `limits.maxProbe`. */
export type Probe = (reader: Reader) => Reading<boolean>

/** What is inside a block. */
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
  /** The type of the segment, or the attribute that names it and what its values mean. */
  readonly segment: SegmentType | SegmentByAttribute
  /** Metadata from attributes: `{ path: 'filePath' }`; of several names the first that is there. */
  readonly metadata?: Readonly<Record<string, string | readonly string[]>>
  /** Types of metadata that is not text. */
  readonly types?: Readonly<Record<string, ParameterType>>
  readonly close: readonly Mark[]
  /** Markers that end the block too and stay where they are, such as the closing tag of the parent. */
  readonly endsBefore?: readonly Mark[]
  /** Markers inside that are dropped, such as a second opener. */
  readonly absorb?: readonly string[]
  /** Stretches inside which nothing closes the block, such as CDATA; they stay in the content. */
  readonly opaque?: readonly [open: string, close: string]
  /** `newline` drops one line break after the opener and one before the closer. */
  readonly trim?: Trim
}

/** What is dropped at each end of a value. */
export type Trim = 'nothing' | 'newline'

/** The segment type that an attribute's value stands for. */
export interface SegmentByAttribute {
  readonly attribute: string
  readonly values: Readonly<Record<string, SegmentType>>
}

/** JSON arguments; the name is what the opener said. */
export interface ArgumentsBody {
  /** The attribute that has the name, if the opener has attributes. */
  readonly name?: string
  readonly close?: readonly Mark[]
  /** The parent's closing marker, which ends the block too. */
  readonly endsBefore?: readonly Mark[]
}

/** JSON that names the tool itself: one call, or a list of them. */
export interface CallsBody {
  readonly close?: readonly Mark[]
  readonly endsBefore?: readonly Mark[]
  /** What may stand between JSON values, such as `;`. */
  readonly separators?: readonly string[]
  /** The name is the key: `{"tool": {"argument": 1}}`. */
  readonly nameIsKey?: boolean
}

/** Arguments in tags of their own. */
export interface FieldsBody {
  /** The attribute of the opener that has the name of the tool; without it, what the opener said. */
  readonly name?: string
  readonly field: Open | readonly Open[]
  /** The attribute that has the key; without it, what the field's opener said. */
  readonly key?: string
  /** What ends a value, `tag` for the end tag of the field. It counts only if the call can go on after it. */
  readonly close: string
  /** What the value is, from the field's opener; if it does not say, what the tool expects, else text. */
  readonly type?: (opening: Opening) => ParameterType | 'json' | undefined
  readonly trim?: Trim
  /** Keys and end tags of fields count in any ASCII case. */
  readonly anyCase?: boolean
  /** What ends the call. */
  readonly end: readonly Mark[]
  /** The parent's closing marker, which ends the call too. */
  readonly endsBefore?: readonly Mark[]
  /** Markers between fields that mean nothing, such as a wrapper of the arguments. */
  readonly skip?: readonly Mark[]
  /** A value without an end is over where the next field begins, or where the call ends. */
  readonly isImplicit?: boolean
  /** What may follow the end of the call, for values without an end. */
  readonly after?: readonly string[]
  /** The opener is an ordinary tag: only what follows it shows that it is a call. */
  readonly isTag?: boolean
  /** The opener is a call whatever follows it. */
  readonly isCertain?: boolean
  /** Values are XML: trimmed and with entities, except in CDATA or markers, and the content of a projected call. */
  readonly xml?: { readonly markers: readonly (readonly [open: string, close: string])[] }
}

/** Blocks inside a block, with space between them. */
export interface WrapperBody {
  readonly close: readonly Mark[]
  readonly blocks: readonly Block[]
  /** Text between the blocks does not end the wrapper. */
  readonly isLoose?: boolean
}

/** Text before the body that has the name: `functions.search:0<|argument_begin|>{}`. */
export interface NamedBody {
  /** What ends the name and is dropped. */
  readonly until: readonly string[]
  /** What ends the name and is the beginning of the body. */
  readonly keep?: readonly string[]
  /** The name alone may be the whole call, so that no space may be around it: a word in prose has some. */
  readonly isBare?: boolean
  /** Groups `name` and, if the format has ids, `id`; what does not match is text. */
  readonly pattern: RegExp
  readonly body: Body
}

/** A body chosen by its first character after white space. */
export interface SwitchCase {
  readonly first: RegExp
  readonly body: Body
}

/** A body chosen by the tool that an attribute of the opener names. */
export interface ToolBodies {
  /** The attribute with the name of the tool. */
  readonly name: string
  /** Bodies by the name of the tool, which counts in any ASCII case. */
  readonly states?: Readonly<Record<string, Body>>
  /** The body of any other tool that is shown as a segment of its own type; if not given, `otherwise`. */
  readonly projected?: Body
  /** The body of all other tools. */
  readonly otherwise: Body
}

/** A body in code, for what no other kind can say. It returns false, having accepted nothing, if it is none. */
export type CustomBody = (reader: Reader, opening: Opening) => Reading<boolean>
