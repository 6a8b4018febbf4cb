import { imageKeyId } from '../files/image-ids.ts'
import { isHidden } from './viewed-answers.ts'
import type { ViewRules } from './view-rules.ts'

/** Where the stream names a file, by the beginning of its id; a view that hides the one hides the other. */
const tellers: readonly (readonly [prefix: string, type: string, field: string])[] = [
  ['img_', 'tool_result_image', 'src'],
  ['upload_', 'meta_init', 'user_files'],
  ['', 'meta_files', 'files'],
]

/** Tells whether a file does not exist for a reader, under whatever route it is asked for. */
export function isFileHidden(rules: ViewRules | undefined, id: string): boolean {
  if (id === imageKeyId) return true
  const [, type, field] = tellers.find(([prefix]) => id.startsWith(prefix)) ?? []
  return type !== undefined && field !== undefined && isHidden(rules, type, field)
}
