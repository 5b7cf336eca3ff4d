#!/bin/sh
# The command line of a daemon under systemd: as its user, with its secrets, in the folder of its config. Paths that are
# given to it begin in that folder. Install it as /usr/local/bin/chainwarden.
set -e
cd /etc/chainwarden
set -- /opt/chainwarden/bin/node --env-file-if-exists=environment /opt/chainwarden/dist/main.js "$@"
case "$(id -un)" in
  chainwarden) exec "$@" ;;
  root) exec setpriv --reuid=chainwarden --regid=chainwarden --init-groups -- "$@" ;;
  *) exec sudo -u chainwarden -- "$@" ;;
esac
