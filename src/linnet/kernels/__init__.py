"""Kernels: products of examples in spaces of features that nobody writes out."""

from __future__ import annotations

from linnet.kernels.approximate import Nystroem, RandomFourier
from linnet.kernels.base import Kernel
from linnet.kernels.checking import KernelCheck
from linnet.kernels.combining import Normalised, Product, Sum
from linnet.kernels.conjunctions import Conjunctions
from linnet.kernels.fragments import StringFragments, TreeFragments
from linnet.kernels.maps import PolynomialMap
from linnet.kernels.named import kernel_named
from linnet.kernels.named_maps import map_named
from linnet.kernels.own import Function, Precomputed
from linnet.kernels.strings import Blended, Gappy, Spectrum
from linnet.kernels.trees import PartialTree, SubsetTree, Subtree
from linnet.kernels.vectors import Gaussian, Linear, Polynomial

__all__ = [
    "Blended",
    "Conjunctions",
    "Function",
    "Gappy",
    "Gaussian",
    "Kernel",
    "KernelCheck",
    "Linear",
    "Normalised",
    "Nystroem",
    "PartialTree",
    "Polynomial",
    "PolynomialMap",
    "Precomputed",
    "Product",
    "RandomFourier",
    "Spectrum",
    "StringFragments",
    "SubsetTree",
    "Subtree",
    "Sum",
    "TreeFragments",
    "kernel_named",
    "map_named",
]
