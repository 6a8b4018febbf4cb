import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** A session as described by version 0.1.0. */
export interface ListedSession {
  readonly kind: string
  readonly session: string
  readonly epoch: number
  readonly tail: number
  readonly earliest: number
  readonly lease?: { readonly owner: string }
  readonly record?: { readonly json: string; readonly summary: string; readonly tail: number }
  /** The newest first. */
  readonly conversations: readonly { readonly number: number; readonly json: string }[]
  readonly files: readonly {
    readonly id: string
    readonly mediaType: string
    readonly filename?: string
    readonly base64: string
  }[]
  readonly log: readonly string[]
}

function unzip(name: string): Buffer {
  return gunzipSync(
    readFileSync(new URL(`../../../fixtures/store-0.1.0/${name}.gz`, import.meta.url)),
  )
}

/** Creates the store of version 0.1.0 at a path. */
export function copyStore010(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, unzip('store.db'))
}

/** The data that version 0.1.0 finds in its store, the session with the latest write first. */
export function listStore010(): readonly ListedSession[] {
  return JSON.parse(unzip('listing.json').toString()) as ListedSession[]
}
