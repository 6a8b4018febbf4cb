export {
  nginxMissing,
  type RealProxy,
  startNginx,
} from '../../packages/millrace/test/support/network/real-proxies.ts'
