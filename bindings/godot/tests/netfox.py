"""Makes the project of the demo one that plays over netfox, with the settings that docs/godot.md
names: netfox.py PAGE NETFOX PROJECT [SETTING=VALUE...]. NETFOX is the folder `addons` of netfox."""

import pathlib
import re
import shutil
import sys

page, netfox, project = map(pathlib.Path, sys.argv[1:4])
text = " ".join(page.read_text(encoding="utf-8").split())
settings = dict(re.findall(r"`netfox/(\w+/\w+)` (on|\d+)", text))
settings |= dict(part.split("=") for part in sys.argv[4:])
for name in ("netfox", "netfox.internals"):
    shutil.copytree(netfox / name, project / "addons" / name)
plugin = (netfox / "netfox" / "netfox.gd").read_text(encoding="utf-8")
autoloads = re.findall(r'"name": "(\w+)",\s*"path": ROOT \+ "([^"]+)"', plugin)
with (project / "project.godot").open("a", encoding="utf-8") as file:
    file.write("\n[autoload]\n\n")
    file.writelines(f'{name}="*res://addons/netfox{path}"\n' for name, path in autoloads)
    file.write("\n[netfox]\n\n")
    for name, value in settings.items():
        file.write(f"{name}={'true' if value == 'on' else value}\n")
print(*sorted(f"{name}={value}" for name, value in settings.items()))
