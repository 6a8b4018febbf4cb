import type { Format, Place } from '../../format.ts'

/** The tags around reasoning. */
export interface ThinkTags {
  readonly name?: string
  readonly open?: string | readonly string[]
  readonly close?: string | readonly string[]
  /** The place where the opening tag counts; default: anywhere. */
  readonly at?: Place
  /** Markers around the answer, which are dropped in text. */
  readonly answer?: readonly string[]
  /** Special tokens count inside code too. */
  readonly control?: boolean
}

/** Reasoning between tags; default: `<think>`. */
export function think({
  name = 'think',
  open = '<think>',
  close = '</think>',
  at = 'anywhere',
  answer = [],
  control = false,
}: ThinkTags = {}): Format {
  const openers = [open].flat()
  const closers = [close].flat()
  return {
    name,
    blocks: [
      {
        open: { literal: openers, at },
        control,
        orphans: [...closers, ...answer],
        body: { raw: { segment: 'reasoning', close: closers, absorb: openers } },
      },
    ],
  }
}
