import type { Format } from '../format.ts'

/** The tags around reasoning. */
export interface ThinkTags {
  readonly open?: string
  readonly close?: string
  /** Special tokens count inside code too. */
  readonly control?: boolean
}

/** Reasoning between tags, `<think>` unless others are named. */
export function think({
  open = '<think>',
  close = '</think>',
  control = false,
}: ThinkTags = {}): Format {
  return {
    name: 'think',
    blocks: [
      {
        open: { literal: open },
        control,
        orphans: [close],
        body: { raw: { segment: 'reasoning', close: [close], absorb: [open] } },
      },
    ],
  }
}
