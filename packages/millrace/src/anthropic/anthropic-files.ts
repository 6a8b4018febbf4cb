import { Anthropic } from '@anthropic-ai/sdk'
import type { AnthropicOptions } from './anthropic.ts'

/** A file that the provider keeps, with what is in it. */
export interface AnthropicFile {
  readonly fileId: string
  /** As the provider's code named it: not to be taken for a safe path. */
  readonly filename: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** How the Files API is reached. */
export interface AnthropicFilesOptions extends Pick<
  AnthropicOptions,
  'apiKey' | 'baseURL' | 'fetch'
> {
  /** A client of the official SDK; else one is made. */
  readonly client?: Pick<Anthropic, 'beta'>
}

/** Reads files that the provider has made. */
export interface AnthropicFiles {
  read(fileId: string, options?: { readonly signal?: AbortSignal }): Promise<AnthropicFile>
}

/** Reads files that the provider has made in its container, by their ids, through its Files API. */
export function anthropicFiles({
  apiKey,
  baseURL,
  fetch,
  client = new Anthropic({ apiKey, baseURL, fetch }),
}: AnthropicFilesOptions = {}): AnthropicFiles {
  return {
    async read(fileId, { signal } = {}) {
      const options = signal === undefined ? {} : { signal }
      const { files } = client.beta
      const { filename, mime_type: mediaType } = await files.retrieveMetadata(fileId, {}, options)
      const content = await files.download(fileId, {}, options)
      return { fileId, filename, mediaType, bytes: new Uint8Array(await content.arrayBuffer()) }
    },
  }
}
